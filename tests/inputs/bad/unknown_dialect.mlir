// Expected: exit 2, one line that points at 4:24: no dialect `fancy` is known.
func.func @f(%x: memref<8xf64>) {
  affine.for %i = 0 to 8 {
    %a = "fancy.random"() : () -> f64
    affine.store %a, %x[%i] : memref<8xf64>
  }
  return
}
