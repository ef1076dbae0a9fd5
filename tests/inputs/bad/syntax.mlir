// Expected: exit 2, one line that points at 4:3: `affine.fore` is no operation.
func.func @f(%x: memref<8xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.fore %i = 0 to 8 {
    affine.store %zero, %x[%i] : memref<8xf64>
  }
  return
}
