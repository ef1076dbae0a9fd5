// Made by `python -m tests.kernels`.
// mvt of PolyBench/C 4.2.1, LARGE: N = 2000

func.func @kernel_mvt(%x1: memref<2000xf64>, %x2: memref<2000xf64>, %y_1: memref<2000xf64>,
    %y_2: memref<2000xf64>, %A: memref<2000x2000xf64>) {
  // x1 := x1 + A y_1
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to 2000 {
      %x1_i = affine.load %x1[%i] : memref<2000xf64>
      %A_ij = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %y_1_j = affine.load %y_1[%j] : memref<2000xf64>
      %prod = arith.mulf %A_ij, %y_1_j : f64
      %sum = arith.addf %x1_i, %prod : f64
      affine.store %sum, %x1[%i] : memref<2000xf64>
    }
  }
  // x2 := x2 + A' y_2
  affine.for %i = 0 to 2000 {
    affine.for %j = 0 to 2000 {
      %x2_i = affine.load %x2[%i] : memref<2000xf64>
      %A_ji = affine.load %A[%j, %i] : memref<2000x2000xf64>
      %y_2_j = affine.load %y_2[%j] : memref<2000xf64>
      %prod = arith.mulf %A_ji, %y_2_j : f64
      %sum = arith.addf %x2_i, %prod : f64
      affine.store %sum, %x2[%i] : memref<2000xf64>
    }
  }
  return
}
