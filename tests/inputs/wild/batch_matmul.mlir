// C[b] := C[b] + A[b] B[b]
func.func @batch_matmul(%A: memref<3x4x5xf32>, %B: memref<3x5x6xf32>, %C: memref<3x4x6xf32>) {
  affine.for %b = 0 to 3 {
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 6 {
        affine.for %k = 0 to 5 {
          %l = affine.load %A[%b, %i, %k] : memref<3x4x5xf32>
          %r = affine.load %B[%b, %k, %j] : memref<3x5x6xf32>
          %p = arith.mulf %l, %r : f32
          %c = affine.load %C[%b, %i, %j] : memref<3x4x6xf32>
          %s = arith.addf %c, %p : f32
          affine.store %s, %C[%b, %i, %j] : memref<3x4x6xf32>
        }
      }
    }
  }
  return
}
