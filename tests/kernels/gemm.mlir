// Made by `python -m tests.kernels`.
// gemm of PolyBench/C 4.2.1, LARGE: NI = 1000, NJ = 1100, NK = 1200

func.func @kernel_gemm(%alpha: f64, %beta: f64, %C: memref<1000x1100xf64>,
    %A: memref<1000x1200xf64>, %B: memref<1200x1100xf64>) {
  // C := alpha A B + beta C, row by row
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1100 {
      %C_ij = affine.load %C[%i, %j] : memref<1000x1100xf64>
      %prod = arith.mulf %C_ij, %beta : f64
      affine.store %prod, %C[%i, %j] : memref<1000x1100xf64>
    }
    affine.for %k = 0 to 1200 {
      affine.for %j = 0 to 1100 {
        %C_ij = affine.load %C[%i, %j] : memref<1000x1100xf64>
        %A_ik = affine.load %A[%i, %k] : memref<1000x1200xf64>
        %prod = arith.mulf %alpha, %A_ik : f64
        %B_kj = affine.load %B[%k, %j] : memref<1200x1100xf64>
        %prod_1 = arith.mulf %prod, %B_kj : f64
        %sum = arith.addf %C_ij, %prod_1 : f64
        affine.store %sum, %C[%i, %j] : memref<1000x1100xf64>
      }
    }
  }
  return
}
