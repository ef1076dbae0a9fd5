// Made by `python -m tests.kernels`.
// 3mm of PolyBench/C 4.2.1, LARGE: NI = 800, NJ = 900, NK = 1000, NL = 1100, NM = 1200

func.func @kernel_3mm(%E: memref<800x900xf64>, %A: memref<800x1000xf64>, %B: memref<1000x900xf64>,
    %F: memref<900x1100xf64>, %C: memref<900x1200xf64>, %D: memref<1200x1100xf64>,
    %G: memref<800x1100xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // E := A B
  affine.for %i = 0 to 800 {
    affine.for %j = 0 to 900 {
      affine.store %cst_0, %E[%i, %j] : memref<800x900xf64>
      affine.for %k = 0 to 1000 {
        %E_ij = affine.load %E[%i, %j] : memref<800x900xf64>
        %A_ik = affine.load %A[%i, %k] : memref<800x1000xf64>
        %B_kj = affine.load %B[%k, %j] : memref<1000x900xf64>
        %prod = arith.mulf %A_ik, %B_kj : f64
        %sum = arith.addf %E_ij, %prod : f64
        affine.store %sum, %E[%i, %j] : memref<800x900xf64>
      }
    }
  }
  // F := C D
  affine.for %i = 0 to 900 {
    affine.for %j = 0 to 1100 {
      affine.store %cst_0, %F[%i, %j] : memref<900x1100xf64>
      affine.for %k = 0 to 1200 {
        %F_ij = affine.load %F[%i, %j] : memref<900x1100xf64>
        %C_ik = affine.load %C[%i, %k] : memref<900x1200xf64>
        %D_kj = affine.load %D[%k, %j] : memref<1200x1100xf64>
        %prod = arith.mulf %C_ik, %D_kj : f64
        %sum = arith.addf %F_ij, %prod : f64
        affine.store %sum, %F[%i, %j] : memref<900x1100xf64>
      }
    }
  }
  // G := E F
  affine.for %i = 0 to 800 {
    affine.for %j = 0 to 1100 {
      affine.store %cst_0, %G[%i, %j] : memref<800x1100xf64>
      affine.for %k = 0 to 900 {
        %G_ij = affine.load %G[%i, %j] : memref<800x1100xf64>
        %E_ik = affine.load %E[%i, %k] : memref<800x900xf64>
        %F_kj = affine.load %F[%k, %j] : memref<900x1100xf64>
        %prod = arith.mulf %E_ik, %F_kj : f64
        %sum = arith.addf %G_ij, %prod : f64
        affine.store %sum, %G[%i, %j] : memref<800x1100xf64>
      }
    }
  }
  return
}
