// the maximum from -inf, by the operation that drops NaN
func.func @maxnum_sum(%x: memref<8x9xf32>, %m: memref<8xf32>) {
  %inf = arith.constant 0xFF800000 : f32
  affine.for %i = 0 to 8 {
    affine.store %inf, %m[%i] : memref<8xf32>
    affine.for %j = 0 to 9 {
      %a = affine.load %x[%i, %j] : memref<8x9xf32>
      %c = affine.load %m[%i] : memref<8xf32>
      %s = arith.maxnumf %a, %c : f32
      affine.store %s, %m[%i] : memref<8xf32>
    }
  }
  return
}
