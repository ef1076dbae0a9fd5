// Made by `python -m tests.kernels`.
// symm of PolyBench/C 4.2.1, LARGE: M = 1000, N = 1200

func.func @kernel_symm(%alpha: f64, %beta: f64, %C: memref<1000x1200xf64>,
    %A: memref<1000x1000xf64>, %B: memref<1000x1200xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // C := alpha S B + beta C, where S is symmetric and A holds its lower triangle
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1200 {
      %result = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%temp2_in = %cst_0) -> (f64) {
        %C_kj = affine.load %C[%k, %j] : memref<1000x1200xf64>
        %B_ij = affine.load %B[%i, %j] : memref<1000x1200xf64>
        %prod = arith.mulf %alpha, %B_ij : f64
        %A_ik = affine.load %A[%i, %k] : memref<1000x1000xf64>
        %prod_1 = arith.mulf %prod, %A_ik : f64
        %sum = arith.addf %C_kj, %prod_1 : f64
        affine.store %sum, %C[%k, %j] : memref<1000x1200xf64>
        %B_kj = affine.load %B[%k, %j] : memref<1000x1200xf64>
        %A_ik_1 = affine.load %A[%i, %k] : memref<1000x1000xf64>
        %prod_2 = arith.mulf %B_kj, %A_ik_1 : f64
        %sum_1 = arith.addf %temp2_in, %prod_2 : f64
        affine.yield %sum_1 : f64
      }
      %C_ij = affine.load %C[%i, %j] : memref<1000x1200xf64>
      %prod = arith.mulf %beta, %C_ij : f64
      %B_ij = affine.load %B[%i, %j] : memref<1000x1200xf64>
      %prod_1 = arith.mulf %alpha, %B_ij : f64
      %A_ii = affine.load %A[%i, %i] : memref<1000x1000xf64>
      %prod_2 = arith.mulf %prod_1, %A_ii : f64
      %sum = arith.addf %prod, %prod_2 : f64
      %prod_3 = arith.mulf %alpha, %result : f64
      %sum_1 = arith.addf %sum, %prod_3 : f64
      affine.store %sum_1, %C[%i, %j] : memref<1000x1200xf64>
    }
  }
  return
}
