// Expected: exit 0, unchanged, one remark: there is nothing to raise.
func.func @average(%a: f64, %b: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %sum = arith.addf %a, %b : f64
  %mean = arith.mulf %sum, %half : f64
  return %mean : f64
}
