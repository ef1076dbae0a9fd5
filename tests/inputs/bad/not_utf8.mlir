// Expected: exit 2, one line that points at 4:5, a Latin-1 letter in a name; in this comment it may stand: café
func.func @f(%x: memref<8xf64>) {
  %zero = arith.constant 0.0 : f64
  %zéro = arith.constant 0.0 : f64
  return
}
