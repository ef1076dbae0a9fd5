// Made by `python -m tests.kernels`.
// heat-3d of PolyBench/C 4.2.1, LARGE: T = 500, N = 120

func.func @kernel_heat_3d(%A: memref<120x120x120xf64>, %B: memref<120x120x120xf64>) {
  %cst_0_125 = arith.constant 0.125 : f64
  %cst_2 = arith.constant 2.0 : f64
  // A and B in turn
  affine.for %t = 0 to 500 {
    affine.for %i = 1 to 119 {
      affine.for %j = 1 to 119 {
        affine.for %k = 1 to 119 {
          %A_el = affine.load %A[%i + 1, %j, %k] : memref<120x120x120xf64>
          %A_ijk = affine.load %A[%i, %j, %k] : memref<120x120x120xf64>
          %prod = arith.mulf %cst_2, %A_ijk : f64
          %diff = arith.subf %A_el, %prod : f64
          %A_el_1 = affine.load %A[%i - 1, %j, %k] : memref<120x120x120xf64>
          %sum = arith.addf %diff, %A_el_1 : f64
          %prod_1 = arith.mulf %cst_0_125, %sum : f64
          %A_el_2 = affine.load %A[%i, %j + 1, %k] : memref<120x120x120xf64>
          %A_ijk_1 = affine.load %A[%i, %j, %k] : memref<120x120x120xf64>
          %prod_2 = arith.mulf %cst_2, %A_ijk_1 : f64
          %diff_1 = arith.subf %A_el_2, %prod_2 : f64
          %A_el_3 = affine.load %A[%i, %j - 1, %k] : memref<120x120x120xf64>
          %sum_1 = arith.addf %diff_1, %A_el_3 : f64
          %prod_3 = arith.mulf %cst_0_125, %sum_1 : f64
          %sum_2 = arith.addf %prod_1, %prod_3 : f64
          %A_el_4 = affine.load %A[%i, %j, %k + 1] : memref<120x120x120xf64>
          %A_ijk_2 = affine.load %A[%i, %j, %k] : memref<120x120x120xf64>
          %prod_4 = arith.mulf %cst_2, %A_ijk_2 : f64
          %diff_2 = arith.subf %A_el_4, %prod_4 : f64
          %A_el_5 = affine.load %A[%i, %j, %k - 1] : memref<120x120x120xf64>
          %sum_3 = arith.addf %diff_2, %A_el_5 : f64
          %prod_5 = arith.mulf %cst_0_125, %sum_3 : f64
          %sum_4 = arith.addf %sum_2, %prod_5 : f64
          %A_ijk_3 = affine.load %A[%i, %j, %k] : memref<120x120x120xf64>
          %sum_5 = arith.addf %sum_4, %A_ijk_3 : f64
          affine.store %sum_5, %B[%i, %j, %k] : memref<120x120x120xf64>
        }
      }
    }
    affine.for %i = 1 to 119 {
      affine.for %j = 1 to 119 {
        affine.for %k = 1 to 119 {
          %B_el = affine.load %B[%i + 1, %j, %k] : memref<120x120x120xf64>
          %B_ijk = affine.load %B[%i, %j, %k] : memref<120x120x120xf64>
          %prod = arith.mulf %cst_2, %B_ijk : f64
          %diff = arith.subf %B_el, %prod : f64
          %B_el_1 = affine.load %B[%i - 1, %j, %k] : memref<120x120x120xf64>
          %sum = arith.addf %diff, %B_el_1 : f64
          %prod_1 = arith.mulf %cst_0_125, %sum : f64
          %B_el_2 = affine.load %B[%i, %j + 1, %k] : memref<120x120x120xf64>
          %B_ijk_1 = affine.load %B[%i, %j, %k] : memref<120x120x120xf64>
          %prod_2 = arith.mulf %cst_2, %B_ijk_1 : f64
          %diff_1 = arith.subf %B_el_2, %prod_2 : f64
          %B_el_3 = affine.load %B[%i, %j - 1, %k] : memref<120x120x120xf64>
          %sum_1 = arith.addf %diff_1, %B_el_3 : f64
          %prod_3 = arith.mulf %cst_0_125, %sum_1 : f64
          %sum_2 = arith.addf %prod_1, %prod_3 : f64
          %B_el_4 = affine.load %B[%i, %j, %k + 1] : memref<120x120x120xf64>
          %B_ijk_2 = affine.load %B[%i, %j, %k] : memref<120x120x120xf64>
          %prod_4 = arith.mulf %cst_2, %B_ijk_2 : f64
          %diff_2 = arith.subf %B_el_4, %prod_4 : f64
          %B_el_5 = affine.load %B[%i, %j, %k - 1] : memref<120x120x120xf64>
          %sum_3 = arith.addf %diff_2, %B_el_5 : f64
          %prod_5 = arith.mulf %cst_0_125, %sum_3 : f64
          %sum_4 = arith.addf %sum_2, %prod_5 : f64
          %B_ijk_3 = affine.load %B[%i, %j, %k] : memref<120x120x120xf64>
          %sum_5 = arith.addf %sum_4, %B_ijk_3 : f64
          affine.store %sum_5, %A[%i, %j, %k] : memref<120x120x120xf64>
        }
      }
    }
  }
  return
}
