// s[i] := sum over j of A[i, j], column after column
func.func @row_sums(%A: memref<8x13xf64>, %s: memref<8xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %zero, %s[%i] : memref<8xf64>
  }
  affine.for %j = 0 to 13 {
    affine.for %i = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<8x13xf64>
      %b = affine.load %s[%i] : memref<8xf64>
      %c = arith.addf %b, %a : f64
      affine.store %c, %s[%i] : memref<8xf64>
    }
  }
  return
}
