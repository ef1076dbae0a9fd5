// Expected: exit 2, one line that points at 4:5: it parses, but the store has one subscript for two axes.
func.func @f(%v: f64, %x: memref<8x9xf64>) {
  affine.for %i = 0 to 8 {
    "affine.store"(%v, %x, %i) <{map = affine_map<(d0) -> (d0)>}> : (f64, memref<8x9xf64>, index) -> ()
  }
  return
}
