// NaN becomes 0: a comparison that holds at no ordinary number
func.func @replace_nan(%x: memref<16xf64>, %y: memref<16xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 16 {
    %v = affine.load %x[%i] : memref<16xf64>
    %c = arith.cmpf uno, %v, %v : f64
    %r = arith.select %c, %zero, %v : f64
    affine.store %r, %y[%i] : memref<16xf64>
  }
  return
}
