// B := A'
func.func @transpose(%A: memref<5x8xf64>, %B: memref<8x5xf64>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 5 {
      %v = affine.load %A[%j, %i] : memref<5x8xf64>
      affine.store %v, %B[%i, %j] : memref<8x5xf64>
    }
  }
  return
}
