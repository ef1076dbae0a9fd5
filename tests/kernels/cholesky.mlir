// Made by `python -m tests.kernels`.
// cholesky of PolyBench/C 4.2.1, LARGE: N = 2000

func.func @kernel_cholesky(%A: memref<2000x2000xf64>) {
  // L L' = A, in the lower triangle of A
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
        %A_ik = affine.load %A[%i, %k] : memref<2000x2000xf64>
        %A_jk = affine.load %A[%j, %k] : memref<2000x2000xf64>
        %prod = arith.mulf %A_ik, %A_jk : f64
        %diff = arith.subf %A_ij, %prod : f64
        affine.store %diff, %A[%i, %j] : memref<2000x2000xf64>
      }
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %A_jj = affine.load %A[%j, %j] : memref<2000x2000xf64>
      %quot = arith.divf %A_ij, %A_jj : f64
      affine.store %quot, %A[%i, %j] : memref<2000x2000xf64>
    }
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %A_ii = affine.load %A[%i, %i] : memref<2000x2000xf64>
      %A_ik = affine.load %A[%i, %k] : memref<2000x2000xf64>
      %A_ik_1 = affine.load %A[%i, %k] : memref<2000x2000xf64>
      %prod = arith.mulf %A_ik, %A_ik_1 : f64
      %diff = arith.subf %A_ii, %prod : f64
      affine.store %diff, %A[%i, %i] : memref<2000x2000xf64>
    }
    %A_ii = affine.load %A[%i, %i] : memref<2000x2000xf64>
    %sqrt = math.sqrt %A_ii : f64
    affine.store %sqrt, %A[%i, %i] : memref<2000x2000xf64>
  }
  return
}
