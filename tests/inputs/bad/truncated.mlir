// Expected: exit 2, one line that points at 5:47, the end of the file: two braces are never closed.
func.func @f(%x: memref<8xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %zero, %x[%i] : memref<8xf64>
