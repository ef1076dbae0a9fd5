// a bound beyond random numbers
func.func @huge_threshold(%x: memref<16xf64>, %y: memref<16xf64>) {
  %eps = arith.constant 1.0e9 : f64
  affine.for %i = 0 to 16 {
    %v = affine.load %x[%i] : memref<16xf64>
    %r = arith.minimumf %v, %eps : f64
    affine.store %r, %y[%i] : memref<16xf64>
  }
  return
}
