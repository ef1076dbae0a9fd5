// Made by `python -m tests.kernels`.
// jacobi-2d of PolyBench/C 4.2.1, LARGE: T = 500, N = 1300

func.func @kernel_jacobi_2d(%A: memref<1300x1300xf64>, %B: memref<1300x1300xf64>) {
  %cst_0_2 = arith.constant 0.2 : f64
  // A and B in turn
  affine.for %t = 0 to 500 {
    affine.for %i = 1 to 1299 {
      affine.for %j = 1 to 1299 {
        %A_ij = affine.load %A[%i, %j] : memref<1300x1300xf64>
        %A_el = affine.load %A[%i, %j - 1] : memref<1300x1300xf64>
        %sum = arith.addf %A_ij, %A_el : f64
        %A_el_1 = affine.load %A[%i, %j + 1] : memref<1300x1300xf64>
        %sum_1 = arith.addf %sum, %A_el_1 : f64
        %A_el_2 = affine.load %A[%i + 1, %j] : memref<1300x1300xf64>
        %sum_2 = arith.addf %sum_1, %A_el_2 : f64
        %A_el_3 = affine.load %A[%i - 1, %j] : memref<1300x1300xf64>
        %sum_3 = arith.addf %sum_2, %A_el_3 : f64
        %prod = arith.mulf %cst_0_2, %sum_3 : f64
        affine.store %prod, %B[%i, %j] : memref<1300x1300xf64>
      }
    }
    affine.for %i = 1 to 1299 {
      affine.for %j = 1 to 1299 {
        %B_ij = affine.load %B[%i, %j] : memref<1300x1300xf64>
        %B_el = affine.load %B[%i, %j - 1] : memref<1300x1300xf64>
        %sum = arith.addf %B_ij, %B_el : f64
        %B_el_1 = affine.load %B[%i, %j + 1] : memref<1300x1300xf64>
        %sum_1 = arith.addf %sum, %B_el_1 : f64
        %B_el_2 = affine.load %B[%i + 1, %j] : memref<1300x1300xf64>
        %sum_2 = arith.addf %sum_1, %B_el_2 : f64
        %B_el_3 = affine.load %B[%i - 1, %j] : memref<1300x1300xf64>
        %sum_3 = arith.addf %sum_2, %B_el_3 : f64
        %prod = arith.mulf %cst_0_2, %sum_3 : f64
        affine.store %prod, %A[%i, %j] : memref<1300x1300xf64>
      }
    }
  }
  return
}
