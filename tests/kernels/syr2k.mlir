// Made by `python -m tests.kernels`.
// syr2k of PolyBench/C 4.2.1, LARGE: M = 1000, N = 1200

func.func @kernel_syr2k(%alpha: f64, %beta: f64, %C: memref<1200x1200xf64>,
    %A: memref<1200x1000xf64>, %B: memref<1200x1000xf64>) {
  // lower triangle of C := alpha A B' + alpha B A' + beta C
  affine.for %i = 0 to 1200 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %C_ij = affine.load %C[%i, %j] : memref<1200x1200xf64>
      %prod = arith.mulf %C_ij, %beta : f64
      affine.store %prod, %C[%i, %j] : memref<1200x1200xf64>
    }
    affine.for %k = 0 to 1000 {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %C_ij = affine.load %C[%i, %j] : memref<1200x1200xf64>
        %A_jk = affine.load %A[%j, %k] : memref<1200x1000xf64>
        %prod = arith.mulf %A_jk, %alpha : f64
        %B_ik = affine.load %B[%i, %k] : memref<1200x1000xf64>
        %prod_1 = arith.mulf %prod, %B_ik : f64
        %B_jk = affine.load %B[%j, %k] : memref<1200x1000xf64>
        %prod_2 = arith.mulf %B_jk, %alpha : f64
        %A_ik = affine.load %A[%i, %k] : memref<1200x1000xf64>
        %prod_3 = arith.mulf %prod_2, %A_ik : f64
        %sum = arith.addf %prod_1, %prod_3 : f64
        %sum_1 = arith.addf %C_ij, %sum : f64
        affine.store %sum_1, %C[%i, %j] : memref<1200x1200xf64>
      }
    }
  }
  return
}
