// Made by `python -m tests.kernels`.
// jacobi-1d of PolyBench/C 4.2.1, LARGE: T = 500, N = 2000

func.func @kernel_jacobi_1d(%A: memref<2000xf64>, %B: memref<2000xf64>) {
  %cst_0_33333 = arith.constant 0.33333 : f64
  // A and B in turn
  affine.for %t = 0 to 500 {
    affine.for %i = 1 to 1999 {
      %A_el = affine.load %A[%i - 1] : memref<2000xf64>
      %A_i = affine.load %A[%i] : memref<2000xf64>
      %sum = arith.addf %A_el, %A_i : f64
      %A_el_1 = affine.load %A[%i + 1] : memref<2000xf64>
      %sum_1 = arith.addf %sum, %A_el_1 : f64
      %prod = arith.mulf %cst_0_33333, %sum_1 : f64
      affine.store %prod, %B[%i] : memref<2000xf64>
    }
    affine.for %i = 1 to 1999 {
      %B_el = affine.load %B[%i - 1] : memref<2000xf64>
      %B_i = affine.load %B[%i] : memref<2000xf64>
      %sum = arith.addf %B_el, %B_i : f64
      %B_el_1 = affine.load %B[%i + 1] : memref<2000xf64>
      %sum_1 = arith.addf %sum, %B_el_1 : f64
      %prod = arith.mulf %cst_0_33333, %sum_1 : f64
      affine.store %prod, %A[%i] : memref<2000xf64>
    }
  }
  return
}
