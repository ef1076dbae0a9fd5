// both triangles trade places
func.func @transpose_in_place(%A: memref<9x9xf64>) {
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %A[%i, %j] : memref<9x9xf64>
      %b = affine.load %A[%j, %i] : memref<9x9xf64>
      affine.store %a, %A[%j, %i] : memref<9x9xf64>
      affine.store %b, %A[%i, %j] : memref<9x9xf64>
    }
  }
  return
}
