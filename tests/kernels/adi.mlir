// Made by `python -m tests.kernels`.
// adi of PolyBench/C 4.2.1, LARGE: T = 500, N = 1000

func.func @kernel_adi(%u: memref<1000x1000xf64>, %v: memref<1000x1000xf64>,
    %p: memref<1000x1000xf64>, %q: memref<1000x1000xf64>) {
  %cst_1 = arith.constant 1.0 : f64
  %cst_1000 = arith.constant 1000.0 : f64
  %cst_500 = arith.constant 500.0 : f64
  %cst_2 = arith.constant 2.0 : f64
  %cst_0 = arith.constant 0.0 : f64
  // alternating direction implicit solver of the heat equation
  %quot = arith.divf %cst_1, %cst_1000 : f64
  %quot_1 = arith.divf %cst_1, %cst_500 : f64
  %prod = arith.mulf %cst_2, %quot_1 : f64
  %prod_1 = arith.mulf %quot, %quot : f64
  %quot_2 = arith.divf %prod, %prod_1 : f64
  %prod_2 = arith.mulf %cst_1, %quot_1 : f64
  %prod_3 = arith.mulf %quot, %quot : f64
  %quot_3 = arith.divf %prod_2, %prod_3 : f64
  %neg = arith.negf %quot_2 : f64
  %quot_4 = arith.divf %neg, %cst_2 : f64
  %sum = arith.addf %cst_1, %quot_2 : f64
  %neg_1 = arith.negf %quot_3 : f64
  %quot_5 = arith.divf %neg_1, %cst_2 : f64
  %sum_1 = arith.addf %cst_1, %quot_3 : f64
  affine.for %t = 0 to 500 {
    // columns
    affine.for %i = 1 to 999 {
      affine.store %cst_1, %v[0, %i] : memref<1000x1000xf64>
      affine.store %cst_0, %p[%i, 0] : memref<1000x1000xf64>
      %v_el = affine.load %v[0, %i] : memref<1000x1000xf64>
      affine.store %v_el, %q[%i, 0] : memref<1000x1000xf64>
      affine.for %j = 1 to 999 {
        %neg_2 = arith.negf %quot_4 : f64
        %p_el = affine.load %p[%i, %j - 1] : memref<1000x1000xf64>
        %prod_4 = arith.mulf %quot_4, %p_el : f64
        %sum_2 = arith.addf %prod_4, %sum : f64
        %quot_6 = arith.divf %neg_2, %sum_2 : f64
        affine.store %quot_6, %p[%i, %j] : memref<1000x1000xf64>
        %neg_3 = arith.negf %quot_5 : f64
        %u_el = affine.load %u[%j, %i - 1] : memref<1000x1000xf64>
        %prod_5 = arith.mulf %neg_3, %u_el : f64
        %prod_6 = arith.mulf %cst_2, %quot_5 : f64
        %sum_3 = arith.addf %cst_1, %prod_6 : f64
        %u_ji = affine.load %u[%j, %i] : memref<1000x1000xf64>
        %prod_7 = arith.mulf %sum_3, %u_ji : f64
        %sum_4 = arith.addf %prod_5, %prod_7 : f64
        %u_el_1 = affine.load %u[%j, %i + 1] : memref<1000x1000xf64>
        %prod_8 = arith.mulf %quot_5, %u_el_1 : f64
        %diff = arith.subf %sum_4, %prod_8 : f64
        %q_el = affine.load %q[%i, %j - 1] : memref<1000x1000xf64>
        %prod_9 = arith.mulf %quot_4, %q_el : f64
        %diff_1 = arith.subf %diff, %prod_9 : f64
        %p_el_1 = affine.load %p[%i, %j - 1] : memref<1000x1000xf64>
        %prod_10 = arith.mulf %quot_4, %p_el_1 : f64
        %sum_5 = arith.addf %prod_10, %sum : f64
        %quot_7 = arith.divf %diff_1, %sum_5 : f64
        affine.store %quot_7, %q[%i, %j] : memref<1000x1000xf64>
      }
      affine.store %cst_1, %v[999, %i] : memref<1000x1000xf64>
      affine.for %j = 1 to 999 {
        %p_el = affine.load %p[%i, -%j + 999] : memref<1000x1000xf64>
        %v_el_1 = affine.load %v[-%j + 1000, %i] : memref<1000x1000xf64>
        %prod_4 = arith.mulf %p_el, %v_el_1 : f64
        %q_el = affine.load %q[%i, -%j + 999] : memref<1000x1000xf64>
        %sum_2 = arith.addf %prod_4, %q_el : f64
        affine.store %sum_2, %v[-%j + 999, %i] : memref<1000x1000xf64>
      }
    }
    // rows
    affine.for %i = 1 to 999 {
      affine.store %cst_1, %u[%i, 0] : memref<1000x1000xf64>
      affine.store %cst_0, %p[%i, 0] : memref<1000x1000xf64>
      %u_i0 = affine.load %u[%i, 0] : memref<1000x1000xf64>
      affine.store %u_i0, %q[%i, 0] : memref<1000x1000xf64>
      affine.for %j = 1 to 999 {
        %neg_2 = arith.negf %quot_5 : f64
        %p_el = affine.load %p[%i, %j - 1] : memref<1000x1000xf64>
        %prod_4 = arith.mulf %quot_5, %p_el : f64
        %sum_2 = arith.addf %prod_4, %sum_1 : f64
        %quot_6 = arith.divf %neg_2, %sum_2 : f64
        affine.store %quot_6, %p[%i, %j] : memref<1000x1000xf64>
        %neg_3 = arith.negf %quot_4 : f64
        %v_el = affine.load %v[%i - 1, %j] : memref<1000x1000xf64>
        %prod_5 = arith.mulf %neg_3, %v_el : f64
        %prod_6 = arith.mulf %cst_2, %quot_4 : f64
        %sum_3 = arith.addf %cst_1, %prod_6 : f64
        %v_ij = affine.load %v[%i, %j] : memref<1000x1000xf64>
        %prod_7 = arith.mulf %sum_3, %v_ij : f64
        %sum_4 = arith.addf %prod_5, %prod_7 : f64
        %v_el_1 = affine.load %v[%i + 1, %j] : memref<1000x1000xf64>
        %prod_8 = arith.mulf %quot_4, %v_el_1 : f64
        %diff = arith.subf %sum_4, %prod_8 : f64
        %q_el = affine.load %q[%i, %j - 1] : memref<1000x1000xf64>
        %prod_9 = arith.mulf %quot_5, %q_el : f64
        %diff_1 = arith.subf %diff, %prod_9 : f64
        %p_el_1 = affine.load %p[%i, %j - 1] : memref<1000x1000xf64>
        %prod_10 = arith.mulf %quot_5, %p_el_1 : f64
        %sum_5 = arith.addf %prod_10, %sum_1 : f64
        %quot_7 = arith.divf %diff_1, %sum_5 : f64
        affine.store %quot_7, %q[%i, %j] : memref<1000x1000xf64>
      }
      affine.store %cst_1, %u[%i, 999] : memref<1000x1000xf64>
      affine.for %j = 1 to 999 {
        %p_el = affine.load %p[%i, -%j + 999] : memref<1000x1000xf64>
        %u_el = affine.load %u[%i, -%j + 1000] : memref<1000x1000xf64>
        %prod_4 = arith.mulf %p_el, %u_el : f64
        %q_el = affine.load %q[%i, -%j + 999] : memref<1000x1000xf64>
        %sum_2 = arith.addf %prod_4, %q_el : f64
        affine.store %sum_2, %u[%i, -%j + 999] : memref<1000x1000xf64>
      }
    }
  }
  return
}
