// Made by `python -m tests.kernels`.
// trisolv of PolyBench/C 4.2.1, LARGE: N = 2000

func.func @kernel_trisolv(%L: memref<2000x2000xf64>, %x: memref<2000xf64>, %b: memref<2000xf64>) {
  // L x = b, L lower triangular
  affine.for %i = 0 to 2000 {
    %b_i = affine.load %b[%i] : memref<2000xf64>
    affine.store %b_i, %x[%i] : memref<2000xf64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %x_i = affine.load %x[%i] : memref<2000xf64>
      %L_ij = affine.load %L[%i, %j] : memref<2000x2000xf64>
      %x_j = affine.load %x[%j] : memref<2000xf64>
      %prod = arith.mulf %L_ij, %x_j : f64
      %diff = arith.subf %x_i, %prod : f64
      affine.store %diff, %x[%i] : memref<2000xf64>
    }
    %x_i = affine.load %x[%i] : memref<2000xf64>
    %L_ii = affine.load %L[%i, %i] : memref<2000x2000xf64>
    %quot = arith.divf %x_i, %L_ii : f64
    affine.store %quot, %x[%i] : memref<2000xf64>
  }
  return
}
