// Made by `python -m tests.kernels`.
// gesummv of PolyBench/C 4.2.1, LARGE: N = 1300

func.func @kernel_gesummv(%alpha: f64, %beta: f64, %A: memref<1300x1300xf64>,
    %B: memref<1300x1300xf64>, %tmp: memref<1300xf64>, %x: memref<1300xf64>, %y: memref<1300xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // y := alpha A x + beta B x, with tmp = A x
  affine.for %i = 0 to 1300 {
    affine.store %cst_0, %tmp[%i] : memref<1300xf64>
    affine.store %cst_0, %y[%i] : memref<1300xf64>
    affine.for %j = 0 to 1300 {
      %A_ij = affine.load %A[%i, %j] : memref<1300x1300xf64>
      %x_j = affine.load %x[%j] : memref<1300xf64>
      %prod = arith.mulf %A_ij, %x_j : f64
      %tmp_i = affine.load %tmp[%i] : memref<1300xf64>
      %sum = arith.addf %prod, %tmp_i : f64
      affine.store %sum, %tmp[%i] : memref<1300xf64>
      %B_ij = affine.load %B[%i, %j] : memref<1300x1300xf64>
      %x_j_1 = affine.load %x[%j] : memref<1300xf64>
      %prod_1 = arith.mulf %B_ij, %x_j_1 : f64
      %y_i = affine.load %y[%i] : memref<1300xf64>
      %sum_1 = arith.addf %prod_1, %y_i : f64
      affine.store %sum_1, %y[%i] : memref<1300xf64>
    }
    %tmp_i = affine.load %tmp[%i] : memref<1300xf64>
    %prod = arith.mulf %alpha, %tmp_i : f64
    %y_i = affine.load %y[%i] : memref<1300xf64>
    %prod_1 = arith.mulf %beta, %y_i : f64
    %sum = arith.addf %prod, %prod_1 : f64
    affine.store %sum, %y[%i] : memref<1300xf64>
  }
  return
}
