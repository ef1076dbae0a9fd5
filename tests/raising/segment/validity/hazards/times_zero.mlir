// 0 * x must not become 0
func.func @times_zero(%x: memref<30xf64>, %y: memref<30xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 30 {
    %v = affine.load %x[%i] : memref<30xf64>
    %w = arith.mulf %v, %z : f64
    affine.store %w, %y[%i] : memref<30xf64>
  }
  return
}
