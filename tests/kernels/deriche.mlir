// Made by `python -m tests.kernels`.
// deriche of PolyBench/C 4.2.1, LARGE: W = 4096, H = 2160

func.func @kernel_deriche(%alpha: f64, %imgIn: memref<4096x2160xf64>,
    %imgOut: memref<4096x2160xf64>, %y1: memref<4096x2160xf64>, %y2: memref<4096x2160xf64>) {
  %cst_1 = arith.constant 1.0 : f64
  %cst_2 = arith.constant 2.0 : f64
  %cst_0 = arith.constant 0.0 : f64
  // recursive edge filter: along the rows both ways, then along the columns both ways
  %neg = arith.negf %alpha : f64
  %exp = math.exp %neg : f64
  %diff = arith.subf %cst_1, %exp : f64
  %diff_1 = arith.subf %cst_1, %exp : f64
  %prod = arith.mulf %diff, %diff_1 : f64
  %prod_1 = arith.mulf %cst_2, %alpha : f64
  %prod_2 = arith.mulf %prod_1, %exp : f64
  %sum = arith.addf %cst_1, %prod_2 : f64
  %prod_3 = arith.mulf %cst_2, %alpha : f64
  %exp_1 = math.exp %prod_3 : f64
  %diff_2 = arith.subf %sum, %exp_1 : f64
  %quot = arith.divf %prod, %diff_2 : f64
  %prod_4 = arith.mulf %quot, %exp : f64
  %diff_3 = arith.subf %alpha, %cst_1 : f64
  %prod_5 = arith.mulf %prod_4, %diff_3 : f64
  %prod_6 = arith.mulf %quot, %exp : f64
  %sum_1 = arith.addf %alpha, %cst_1 : f64
  %prod_7 = arith.mulf %prod_6, %sum_1 : f64
  %neg_1 = arith.negf %quot : f64
  %neg_2 = arith.negf %cst_2 : f64
  %prod_8 = arith.mulf %neg_2, %alpha : f64
  %exp_2 = math.exp %prod_8 : f64
  %prod_9 = arith.mulf %neg_1, %exp_2 : f64
  %neg_3 = arith.negf %alpha : f64
  %powf = math.powf %cst_2, %neg_3 : f64
  %neg_4 = arith.negf %cst_2 : f64
  %prod_10 = arith.mulf %neg_4, %alpha : f64
  %exp_3 = math.exp %prod_10 : f64
  %neg_5 = arith.negf %exp_3 : f64
  affine.for %i = 0 to 4096 {
    %result:3 = affine.for %j = 0 to 2160 iter_args(%xm1_in = %cst_0, %ym2_in = %cst_0, %ym1_in = %cst_0) -> (f64, f64, f64) {
      %imgIn_ij = affine.load %imgIn[%i, %j] : memref<4096x2160xf64>
      %prod_11 = arith.mulf %quot, %imgIn_ij : f64
      %prod_12 = arith.mulf %prod_5, %xm1_in : f64
      %sum_2 = arith.addf %prod_11, %prod_12 : f64
      %prod_13 = arith.mulf %powf, %ym1_in : f64
      %sum_3 = arith.addf %sum_2, %prod_13 : f64
      %prod_14 = arith.mulf %neg_5, %ym2_in : f64
      %sum_4 = arith.addf %sum_3, %prod_14 : f64
      affine.store %sum_4, %y1[%i, %j] : memref<4096x2160xf64>
      %imgIn_ij_1 = affine.load %imgIn[%i, %j] : memref<4096x2160xf64>
      %y1_ij = affine.load %y1[%i, %j] : memref<4096x2160xf64>
      affine.yield %imgIn_ij_1, %ym1_in, %y1_ij : f64, f64, f64
    }
  }
  affine.for %i = 0 to 4096 {
    %result:4 = affine.for %j = 0 to 2160 iter_args(%xp2_in = %cst_0, %xp1_in = %cst_0, %yp2_in = %cst_0, %yp1_in = %cst_0) -> (f64, f64, f64, f64) {
      %prod_11 = arith.mulf %prod_7, %xp1_in : f64
      %prod_12 = arith.mulf %prod_9, %xp2_in : f64
      %sum_2 = arith.addf %prod_11, %prod_12 : f64
      %prod_13 = arith.mulf %powf, %yp1_in : f64
      %sum_3 = arith.addf %sum_2, %prod_13 : f64
      %prod_14 = arith.mulf %neg_5, %yp2_in : f64
      %sum_4 = arith.addf %sum_3, %prod_14 : f64
      affine.store %sum_4, %y2[%i, -%j + 2159] : memref<4096x2160xf64>
      %imgIn_el = affine.load %imgIn[%i, -%j + 2159] : memref<4096x2160xf64>
      %y2_el = affine.load %y2[%i, -%j + 2159] : memref<4096x2160xf64>
      affine.yield %xp1_in, %imgIn_el, %yp1_in, %y2_el : f64, f64, f64, f64
    }
  }
  affine.for %i = 0 to 4096 {
    affine.for %j = 0 to 2160 {
      %y1_ij = affine.load %y1[%i, %j] : memref<4096x2160xf64>
      %y2_ij = affine.load %y2[%i, %j] : memref<4096x2160xf64>
      %sum_2 = arith.addf %y1_ij, %y2_ij : f64
      affine.store %sum_2, %imgOut[%i, %j] : memref<4096x2160xf64>
    }
  }
  affine.for %j = 0 to 2160 {
    %result:3 = affine.for %i = 0 to 4096 iter_args(%tm1_in = %cst_0, %ym2_in = %cst_0, %ym1_in = %cst_0) -> (f64, f64, f64) {
      %imgOut_ij = affine.load %imgOut[%i, %j] : memref<4096x2160xf64>
      %prod_11 = arith.mulf %quot, %imgOut_ij : f64
      %prod_12 = arith.mulf %prod_5, %tm1_in : f64
      %sum_2 = arith.addf %prod_11, %prod_12 : f64
      %prod_13 = arith.mulf %powf, %ym1_in : f64
      %sum_3 = arith.addf %sum_2, %prod_13 : f64
      %prod_14 = arith.mulf %neg_5, %ym2_in : f64
      %sum_4 = arith.addf %sum_3, %prod_14 : f64
      affine.store %sum_4, %y1[%i, %j] : memref<4096x2160xf64>
      %imgOut_ij_1 = affine.load %imgOut[%i, %j] : memref<4096x2160xf64>
      %y1_ij = affine.load %y1[%i, %j] : memref<4096x2160xf64>
      affine.yield %imgOut_ij_1, %ym1_in, %y1_ij : f64, f64, f64
    }
  }
  affine.for %j = 0 to 2160 {
    %result:4 = affine.for %i = 0 to 4096 iter_args(%tp2_in = %cst_0, %tp1_in = %cst_0, %yp2_in = %cst_0, %yp1_in = %cst_0) -> (f64, f64, f64, f64) {
      %prod_11 = arith.mulf %prod_7, %tp1_in : f64
      %prod_12 = arith.mulf %prod_9, %tp2_in : f64
      %sum_2 = arith.addf %prod_11, %prod_12 : f64
      %prod_13 = arith.mulf %powf, %yp1_in : f64
      %sum_3 = arith.addf %sum_2, %prod_13 : f64
      %prod_14 = arith.mulf %neg_5, %yp2_in : f64
      %sum_4 = arith.addf %sum_3, %prod_14 : f64
      affine.store %sum_4, %y2[-%i + 4095, %j] : memref<4096x2160xf64>
      %imgOut_el = affine.load %imgOut[-%i + 4095, %j] : memref<4096x2160xf64>
      %y2_el = affine.load %y2[-%i + 4095, %j] : memref<4096x2160xf64>
      affine.yield %tp1_in, %imgOut_el, %yp1_in, %y2_el : f64, f64, f64, f64
    }
  }
  affine.for %i = 0 to 4096 {
    affine.for %j = 0 to 2160 {
      %y1_ij = affine.load %y1[%i, %j] : memref<4096x2160xf64>
      %y2_ij = affine.load %y2[%i, %j] : memref<4096x2160xf64>
      %sum_2 = arith.addf %y1_ij, %y2_ij : f64
      affine.store %sum_2, %imgOut[%i, %j] : memref<4096x2160xf64>
    }
  }
  return
}
