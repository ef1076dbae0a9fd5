// B := A, three axes, the loops inside out
func.func @copy(%A: memref<2x3x4xi32>, %B: memref<2x3x4xi32>) {
  affine.for %k = 0 to 4 {
    affine.for %j = 0 to 3 {
      affine.for %i = 0 to 2 {
        %v = affine.load %A[%i, %j, %k] : memref<2x3x4xi32>
        affine.store %v, %B[%i, %j, %k] : memref<2x3x4xi32>
      }
    }
  }
  return
}
