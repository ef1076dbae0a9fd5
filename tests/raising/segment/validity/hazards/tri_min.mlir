// a bound that is the smaller of two
func.func @tri_min(%A: memref<14x10xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 14 {
    affine.for %j = 0 to min affine_map<(d0) -> (d0, 10)>(%i) {
      affine.store %z, %A[%i, %j] : memref<14x10xf64>
    }
  }
  return
}
