// x := v
func.func @fill(%v: f64, %x: memref<4x6xf64>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      affine.store %v, %x[%i, %j] : memref<4x6xf64>
    }
  }
  return
}
