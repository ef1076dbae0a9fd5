// both arrays trade shifted halves: a write must not be seen by a view read later
func.func @swap_shift(%A: memref<20xf64>, %B: memref<20xf64>) {
  affine.for %i = 0 to 19 {
    %a = affine.load %A[%i + 1] : memref<20xf64>
    %b = affine.load %B[%i] : memref<20xf64>
    affine.store %a, %B[%i] : memref<20xf64>
    affine.store %b, %A[%i + 1] : memref<20xf64>
  }
  return
}
