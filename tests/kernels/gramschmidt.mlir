// Made by `python -m tests.kernels`.
// gramschmidt of PolyBench/C 4.2.1, LARGE: M = 1200, N = 1000

func.func @kernel_gramschmidt(%A: memref<1000x1200xf64>, %R: memref<1200x1200xf64>,
    %Q: memref<1000x1200xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // Q R = A, column by column
  affine.for %k = 0 to 1200 {
    %result = affine.for %i = 0 to 1000 iter_args(%nrm_in = %cst_0) -> (f64) {
      %A_ik = affine.load %A[%i, %k] : memref<1000x1200xf64>
      %A_ik_1 = affine.load %A[%i, %k] : memref<1000x1200xf64>
      %prod = arith.mulf %A_ik, %A_ik_1 : f64
      %sum = arith.addf %nrm_in, %prod : f64
      affine.yield %sum : f64
    }
    %sqrt = math.sqrt %result : f64
    affine.store %sqrt, %R[%k, %k] : memref<1200x1200xf64>
    affine.for %i = 0 to 1000 {
      %A_ik = affine.load %A[%i, %k] : memref<1000x1200xf64>
      %R_kk = affine.load %R[%k, %k] : memref<1200x1200xf64>
      %quot = arith.divf %A_ik, %R_kk : f64
      affine.store %quot, %Q[%i, %k] : memref<1000x1200xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to 1200 {
      affine.store %cst_0, %R[%k, %j] : memref<1200x1200xf64>
      affine.for %i = 0 to 1000 {
        %R_kj = affine.load %R[%k, %j] : memref<1200x1200xf64>
        %Q_ik = affine.load %Q[%i, %k] : memref<1000x1200xf64>
        %A_ij = affine.load %A[%i, %j] : memref<1000x1200xf64>
        %prod = arith.mulf %Q_ik, %A_ij : f64
        %sum = arith.addf %R_kj, %prod : f64
        affine.store %sum, %R[%k, %j] : memref<1200x1200xf64>
      }
      affine.for %i = 0 to 1000 {
        %A_ij = affine.load %A[%i, %j] : memref<1000x1200xf64>
        %Q_ik = affine.load %Q[%i, %k] : memref<1000x1200xf64>
        %R_kj = affine.load %R[%k, %j] : memref<1200x1200xf64>
        %prod = arith.mulf %Q_ik, %R_kj : f64
        %diff = arith.subf %A_ij, %prod : f64
        affine.store %diff, %A[%i, %j] : memref<1000x1200xf64>
      }
    }
  }
  return
}
