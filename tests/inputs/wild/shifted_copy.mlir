// the upper half of y receives the odd elements of x
func.func @shifted_copy(%x: memref<20xf64>, %y: memref<20xf64>) {
  affine.for %i = 0 to 10 {
    %v = affine.load %x[%i * 2 + 1] : memref<20xf64>
    affine.store %v, %y[%i + 10] : memref<20xf64>
  }
  return
}
