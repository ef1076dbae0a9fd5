// Made by `python -m tests.kernels`.
// bicg of PolyBench/C 4.2.1, LARGE: M = 1900, N = 2100

func.func @kernel_bicg(%A: memref<2100x1900xf64>, %s: memref<1900xf64>, %q: memref<2100xf64>,
    %p: memref<1900xf64>, %r: memref<2100xf64>) {
  %cst_0 = arith.constant 0.0 : f64
  // s := A' r and q := A p in one pass over A
  affine.for %i = 0 to 1900 {
    affine.store %cst_0, %s[%i] : memref<1900xf64>
  }
  affine.for %i = 0 to 2100 {
    affine.store %cst_0, %q[%i] : memref<2100xf64>
    affine.for %j = 0 to 1900 {
      %s_j = affine.load %s[%j] : memref<1900xf64>
      %r_i = affine.load %r[%i] : memref<2100xf64>
      %A_ij = affine.load %A[%i, %j] : memref<2100x1900xf64>
      %prod = arith.mulf %r_i, %A_ij : f64
      %sum = arith.addf %s_j, %prod : f64
      affine.store %sum, %s[%j] : memref<1900xf64>
      %q_i = affine.load %q[%i] : memref<2100xf64>
      %A_ij_1 = affine.load %A[%i, %j] : memref<2100x1900xf64>
      %p_j = affine.load %p[%j] : memref<1900xf64>
      %prod_1 = arith.mulf %A_ij_1, %p_j : f64
      %sum_1 = arith.addf %q_i, %prod_1 : f64
      affine.store %sum_1, %q[%i] : memref<2100xf64>
    }
  }
  return
}
