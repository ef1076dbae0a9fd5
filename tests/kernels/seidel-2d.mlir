// Made by `python -m tests.kernels`.
// seidel-2d of PolyBench/C 4.2.1, LARGE: T = 500, N = 2000

func.func @kernel_seidel_2d(%A: memref<2000x2000xf64>) {
  %cst_9 = arith.constant 9.0 : f64
  // each element from its neighbours, in place
  affine.for %t = 0 to 500 {
    affine.for %i = 1 to 1999 {
      affine.for %j = 1 to 1999 {
        %A_el = affine.load %A[%i - 1, %j - 1] : memref<2000x2000xf64>
        %A_el_1 = affine.load %A[%i - 1, %j] : memref<2000x2000xf64>
        %sum = arith.addf %A_el, %A_el_1 : f64
        %A_el_2 = affine.load %A[%i - 1, %j + 1] : memref<2000x2000xf64>
        %sum_1 = arith.addf %sum, %A_el_2 : f64
        %A_el_3 = affine.load %A[%i, %j - 1] : memref<2000x2000xf64>
        %sum_2 = arith.addf %sum_1, %A_el_3 : f64
        %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
        %sum_3 = arith.addf %sum_2, %A_ij : f64
        %A_el_4 = affine.load %A[%i, %j + 1] : memref<2000x2000xf64>
        %sum_4 = arith.addf %sum_3, %A_el_4 : f64
        %A_el_5 = affine.load %A[%i + 1, %j - 1] : memref<2000x2000xf64>
        %sum_5 = arith.addf %sum_4, %A_el_5 : f64
        %A_el_6 = affine.load %A[%i + 1, %j] : memref<2000x2000xf64>
        %sum_6 = arith.addf %sum_5, %A_el_6 : f64
        %A_el_7 = affine.load %A[%i + 1, %j + 1] : memref<2000x2000xf64>
        %sum_7 = arith.addf %sum_6, %A_el_7 : f64
        %quot = arith.divf %sum_7, %cst_9 : f64
        affine.store %quot, %A[%i, %j] : memref<2000x2000xf64>
      }
    }
  }
  return
}
