// iter_args trade places in every iteration
func.func @swap_args(%a: f64, %b: f64) -> f64 {
  %r:2 = affine.for %i = 0 to 31 iter_args(%s = %a, %p = %b) -> (f64, f64) {
    affine.yield %p, %s : f64, f64
  }
  return %r#0 : f64
}
