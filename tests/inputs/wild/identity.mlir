// A := I, by a test on the indices
#diagonal = affine_set<(d0, d1) : (d0 - d1 == 0)>
func.func @identity(%A: memref<7x7xf64>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to 7 {
    affine.for %j = 0 to 7 {
      affine.if #diagonal(%i, %j) {
        affine.store %one, %A[%i, %j] : memref<7x7xf64>
      } else {
        affine.store %zero, %A[%i, %j] : memref<7x7xf64>
      }
    }
  }
  return
}
