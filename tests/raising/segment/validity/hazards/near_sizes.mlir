// extents 100, 101 and 102, tied by subscripts with an offset
func.func @near_sizes(%x: memref<100xf64>, %y: memref<102xf64>, %z: memref<101xf64>) {
  affine.for %i = 0 to 100 {
    %v = affine.load %x[%i] : memref<100xf64>
    affine.store %v, %y[%i + 2] : memref<102xf64>
    affine.store %v, %z[%i + 1] : memref<101xf64>
  }
  return
}
