// Expected: parses and is raised: the bytes that are not UTF-8 stand in a comment: naïve café
func.func @fill(%v: f64, %x: memref<8xf64>) {
  affine.for %i = 0 to 8 {
    affine.store %v, %x[%i] : memref<8xf64>
  }
  return
}
