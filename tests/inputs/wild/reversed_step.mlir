// every third element of y, from the end of x: a loop with a step
func.func @reversed_step(%x: memref<12xf32>, %y: memref<12xf32>) {
  affine.for %i = 0 to 12 step 3 {
    %v = affine.load %x[-%i + 11] : memref<12xf32>
    affine.store %v, %y[%i] : memref<12xf32>
  }
  return
}
