// what lies above the diagonal of A becomes zero
func.func @zero_upper(%A: memref<9x9xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 9 {
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to 9 {
      affine.store %zero, %A[%i, %j] : memref<9x9xf64>
    }
  }
  return
}
