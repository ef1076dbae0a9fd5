// d[i] := A[i, i]
func.func @diagonal(%A: memref<8x8xf64>, %d: memref<8xf64>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %A[%i, %i] : memref<8x8xf64>
    affine.store %v, %d[%i] : memref<8xf64>
  }
  return
}
