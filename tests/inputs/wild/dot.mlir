// returns x . y
func.func @dot(%x: memref<33xf64>, %y: memref<33xf64>) -> f64 {
  %zero = arith.constant 0.000000e+00 : f64
  %sum = affine.for %i = 0 to 33 iter_args(%acc = %zero) -> (f64) {
    %a = affine.load %x[%i] : memref<33xf64>
    %b = affine.load %y[%i] : memref<33xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %acc, %p : f64
    affine.yield %s : f64
  }
  return %sum : f64
}
