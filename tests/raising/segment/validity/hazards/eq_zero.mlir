// y := x == 0 ? 1 : x  (equality never happens at random points)
func.func @eq_zero(%x: memref<16xf64>, %y: memref<16xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to 16 {
    %v = affine.load %x[%i] : memref<16xf64>
    %c = arith.cmpf oeq, %v, %zero : f64
    %r = arith.select %c, %one, %v : f64
    affine.store %r, %y[%i] : memref<16xf64>
  }
  return
}
