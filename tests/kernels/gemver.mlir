// Made by `python -m tests.kernels`.
// gemver of PolyBench/C 4.2.1, LARGE: N = 2000

func.func @kernel_gemver(%alpha: f64, %beta: f64, %A: memref<2000x2000xf64>, %u1: memref<2000xf64>,
    %v1: memref<2000xf64>, %u2: memref<2000xf64>, %v2: memref<2000xf64>, %w: memref<2000xf64>,
    %x: memref<2000xf64>, %y: memref<2000xf64>, %z: memref<2000xf64>) {
  // A := A + u1 v1' + u2 v2'
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to 2000 {
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %u1_i = affine.load %u1[%i] : memref<2000xf64>
      %v1_j = affine.load %v1[%j] : memref<2000xf64>
      %prod = arith.mulf %u1_i, %v1_j : f64
      %sum = arith.addf %A_ij, %prod : f64
      %u2_i = affine.load %u2[%i] : memref<2000xf64>
      %v2_j = affine.load %v2[%j] : memref<2000xf64>
      %prod_1 = arith.mulf %u2_i, %v2_j : f64
      %sum_1 = arith.addf %sum, %prod_1 : f64
      affine.store %sum_1, %A[%i, %j] : memref<2000x2000xf64>
    }
  }
  // x := x + beta A' y + z
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to 2000 {
      %x_i = affine.load %x[%i] : memref<2000xf64>
      %A_ji = affine.load %A[%j, %i] : memref<2000x2000xf64>
      %prod = arith.mulf %beta, %A_ji : f64
      %y_j = affine.load %y[%j] : memref<2000xf64>
      %prod_1 = arith.mulf %prod, %y_j : f64
      %sum = arith.addf %x_i, %prod_1 : f64
      affine.store %sum, %x[%i] : memref<2000xf64>
    }
  }
  affine.for %i = 0 to 2000 {
    %x_i = affine.load %x[%i] : memref<2000xf64>
    %z_i = affine.load %z[%i] : memref<2000xf64>
    %sum = arith.addf %x_i, %z_i : f64
    affine.store %sum, %x[%i] : memref<2000xf64>
  }
  // w := w + alpha A x
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to 2000 {
      %w_i = affine.load %w[%i] : memref<2000xf64>
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %prod = arith.mulf %alpha, %A_ij : f64
      %x_j = affine.load %x[%j] : memref<2000xf64>
      %prod_1 = arith.mulf %prod, %x_j : f64
      %sum = arith.addf %w_i, %prod_1 : f64
      affine.store %sum, %w[%i] : memref<2000xf64>
    }
  }
  return
}
