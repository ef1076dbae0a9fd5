// Made by `python -m tests.kernels`.
// lu of PolyBench/C 4.2.1, LARGE: N = 2000

func.func @kernel_lu(%A: memref<2000x2000xf64>) {
  // L U = A in place, row by row
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
        %A_ik = affine.load %A[%i, %k] : memref<2000x2000xf64>
        %A_kj = affine.load %A[%k, %j] : memref<2000x2000xf64>
        %prod = arith.mulf %A_ik, %A_kj : f64
        %diff = arith.subf %A_ij, %prod : f64
        affine.store %diff, %A[%i, %j] : memref<2000x2000xf64>
      }
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %A_jj = affine.load %A[%j, %j] : memref<2000x2000xf64>
      %quot = arith.divf %A_ij, %A_jj : f64
      affine.store %quot, %A[%i, %j] : memref<2000x2000xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 2000 {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
        %A_ik = affine.load %A[%i, %k] : memref<2000x2000xf64>
        %A_kj = affine.load %A[%k, %j] : memref<2000x2000xf64>
        %prod = arith.mulf %A_ik, %A_kj : f64
        %diff = arith.subf %A_ij, %prod : f64
        affine.store %diff, %A[%i, %j] : memref<2000x2000xf64>
      }
    }
  }
  return
}
