// reads run ahead of the writes
func.func @shift_left(%A: memref<20xf64>) {
  affine.for %i = 0 to 19 {
    %a = affine.load %A[%i + 1] : memref<20xf64>
    affine.store %a, %A[%i] : memref<20xf64>
  }
  return
}
