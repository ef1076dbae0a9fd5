// Made by `python -m tests.kernels`.
// trmm of PolyBench/C 4.2.1, LARGE: M = 1000, N = 1200

func.func @kernel_trmm(%alpha: f64, %A: memref<1000x1000xf64>, %B: memref<1000x1200xf64>) {
  // B := alpha L' B, where L is unit lower triangular and A holds what lies under its diagonal
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1200 {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to 1000 {
        %B_ij = affine.load %B[%i, %j] : memref<1000x1200xf64>
        %A_ki = affine.load %A[%k, %i] : memref<1000x1000xf64>
        %B_kj = affine.load %B[%k, %j] : memref<1000x1200xf64>
        %prod = arith.mulf %A_ki, %B_kj : f64
        %sum = arith.addf %B_ij, %prod : f64
        affine.store %sum, %B[%i, %j] : memref<1000x1200xf64>
      }
      %B_ij = affine.load %B[%i, %j] : memref<1000x1200xf64>
      %prod = arith.mulf %alpha, %B_ij : f64
      affine.store %prod, %B[%i, %j] : memref<1000x1200xf64>
    }
  }
  return
}
