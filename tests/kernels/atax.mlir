// Made by `python -m tests.kernels`.
// atax of PolyBench/C 4.2.1, LARGE: M = 1900, N = 2100

func.func @kernel_atax(%A: memref<1900x2100xf64>, %x: memref<2100xf64>, %y: memref<2100xf64>,
    %tmp: memref<1900xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // y := A' (A x), one row of A at a time
  affine.for %i = 0 to 2100 {
    affine.store %cst_0, %y[%i] : memref<2100xf64>
  }
  affine.for %i = 0 to 1900 {
    affine.store %cst_0, %tmp[%i] : memref<1900xf64>
    affine.for %j = 0 to 2100 {
      %tmp_i = affine.load %tmp[%i] : memref<1900xf64>
      %A_ij = affine.load %A[%i, %j] : memref<1900x2100xf64>
      %x_j = affine.load %x[%j] : memref<2100xf64>
      %prod = arith.mulf %A_ij, %x_j : f64
      %sum = arith.addf %tmp_i, %prod : f64
      affine.store %sum, %tmp[%i] : memref<1900xf64>
    }
    affine.for %j = 0 to 2100 {
      %y_j = affine.load %y[%j] : memref<2100xf64>
      %A_ij = affine.load %A[%i, %j] : memref<1900x2100xf64>
      %tmp_i = affine.load %tmp[%i] : memref<1900xf64>
      %prod = arith.mulf %A_ij, %tmp_i : f64
      %sum = arith.addf %y_j, %prod : f64
      affine.store %sum, %y[%j] : memref<2100xf64>
    }
  }
  return
}
