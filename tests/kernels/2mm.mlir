// Made by `python -m tests.kernels`.
// 2mm of PolyBench/C 4.2.1, LARGE: NI = 800, NJ = 900, NK = 1100, NL = 1200

func.func @kernel_2mm(%alpha: f64, %beta: f64, %tmp: memref<800x900xf64>, %A: memref<800x1100xf64>,
    %B: memref<1100x900xf64>, %C: memref<900x1200xf64>, %D: memref<800x1200xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // tmp := alpha A B
  affine.for %i = 0 to 800 {
    affine.for %j = 0 to 900 {
      affine.store %cst_0, %tmp[%i, %j] : memref<800x900xf64>
      affine.for %k = 0 to 1100 {
        %tmp_ij = affine.load %tmp[%i, %j] : memref<800x900xf64>
        %A_ik = affine.load %A[%i, %k] : memref<800x1100xf64>
        %prod = arith.mulf %alpha, %A_ik : f64
        %B_kj = affine.load %B[%k, %j] : memref<1100x900xf64>
        %prod_1 = arith.mulf %prod, %B_kj : f64
        %sum = arith.addf %tmp_ij, %prod_1 : f64
        affine.store %sum, %tmp[%i, %j] : memref<800x900xf64>
      }
    }
  }
  // D := tmp C + beta D
  affine.for %i = 0 to 800 {
    affine.for %j = 0 to 1200 {
      %D_ij = affine.load %D[%i, %j] : memref<800x1200xf64>
      %prod = arith.mulf %D_ij, %beta : f64
      affine.store %prod, %D[%i, %j] : memref<800x1200xf64>
      affine.for %k = 0 to 900 {
        %D_ij_1 = affine.load %D[%i, %j] : memref<800x1200xf64>
        %tmp_ik = affine.load %tmp[%i, %k] : memref<800x900xf64>
        %C_kj = affine.load %C[%k, %j] : memref<900x1200xf64>
        %prod_1 = arith.mulf %tmp_ik, %C_kj : f64
        %sum = arith.addf %D_ij_1, %prod_1 : f64
        affine.store %sum, %D[%i, %j] : memref<800x1200xf64>
      }
    }
  }
  return
}
