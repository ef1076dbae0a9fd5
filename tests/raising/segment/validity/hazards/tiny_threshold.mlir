// a bound below random numbers
func.func @tiny_threshold(%x: memref<16xf64>, %y: memref<16xf64>) {
  %eps = arith.constant 1.0e-9 : f64
  affine.for %i = 0 to 16 {
    %v = affine.load %x[%i] : memref<16xf64>
    %a = math.absf %v : f64
    %r = arith.maximumf %a, %eps : f64
    affine.store %r, %y[%i] : memref<16xf64>
  }
  return
}
