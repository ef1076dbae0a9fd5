// every second element
func.func @parity(%x: memref<30xf64>) {
  affine.for %i = 0 to 30 {
    affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
      %v = affine.load %x[%i] : memref<30xf64>
      %w = arith.addf %v, %v : f64
      affine.store %w, %x[%i] : memref<30xf64>
    }
  }
  return
}
