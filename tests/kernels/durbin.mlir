// Made by `python -m tests.kernels`.
// durbin of PolyBench/C 4.2.1, LARGE: N = 2000

func.func @kernel_durbin(%r: memref<2000xf64>, %y: memref<2000xf64>, %z: memref<2000xf64>) {
  %cst_1 = arith.constant 1.0 : f64
  %cst_0 = arith.constant 0.0 : f64
  // Levinson-Durbin recursion for a Toeplitz system
  %r_el = affine.load %r[0] : memref<2000xf64>
  %neg = arith.negf %r_el : f64
  affine.store %neg, %y[0] : memref<2000xf64>
  %r_el_1 = affine.load %r[0] : memref<2000xf64>
  %neg_1 = arith.negf %r_el_1 : f64
  %result:2 = affine.for %k = 1 to 2000 iter_args(%beta_in = %cst_1, %alpha_in = %neg_1) -> (f64, f64) {
    %prod = arith.mulf %alpha_in, %alpha_in : f64
    %diff = arith.subf %cst_1, %prod : f64
    %prod_1 = arith.mulf %diff, %beta_in : f64
    %result = affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) iter_args(%sum_in = %cst_0) -> (f64) {
      %r_el_2 = affine.load %r[%k - %i - 1] : memref<2000xf64>
      %y_i = affine.load %y[%i] : memref<2000xf64>
      %prod_2 = arith.mulf %r_el_2, %y_i : f64
      %sum = arith.addf %sum_in, %prod_2 : f64
      affine.yield %sum : f64
    }
    %r_k = affine.load %r[%k] : memref<2000xf64>
    %sum = arith.addf %r_k, %result : f64
    %neg_2 = arith.negf %sum : f64
    %quot = arith.divf %neg_2, %prod_1 : f64
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %y_i = affine.load %y[%i] : memref<2000xf64>
      %y_el = affine.load %y[%k - %i - 1] : memref<2000xf64>
      %prod_2 = arith.mulf %quot, %y_el : f64
      %sum_1 = arith.addf %y_i, %prod_2 : f64
      affine.store %sum_1, %z[%i] : memref<2000xf64>
    }
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %z_i = affine.load %z[%i] : memref<2000xf64>
      affine.store %z_i, %y[%i] : memref<2000xf64>
    }
    affine.store %quot, %y[%k] : memref<2000xf64>
    affine.yield %prod_1, %quot : f64, f64
  }
  return
}
