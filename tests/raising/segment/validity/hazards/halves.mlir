// guard at 500: the two halves get different values
func.func @halves(%a: f64, %x: memref<1000xf64>, %y: memref<1000xf64>) {
  affine.for %i = 0 to 1000 {
    %v = affine.load %x[%i] : memref<1000xf64>
    %w = affine.if affine_set<(d0) : (d0 - 500 >= 0)>(%i) -> f64 {
      %p = arith.mulf %v, %a : f64
      affine.yield %p : f64
    } else {
      affine.yield %v : f64
    }
    affine.store %w, %y[%i] : memref<1000xf64>
  }
  return
}
