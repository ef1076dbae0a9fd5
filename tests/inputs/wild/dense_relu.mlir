// Y := max(X W + bias, 0): the bias starts the sum, the last step is fused into the nest
func.func @dense_relu(%X: memref<4x7xf32>, %W: memref<7x5xf32>, %bias: memref<5xf32>, %Y: memref<4x5xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      %b = affine.load %bias[%j] : memref<5xf32>
      %sum = affine.for %k = 0 to 7 iter_args(%acc = %b) -> (f32) {
        %x = affine.load %X[%i, %k] : memref<4x7xf32>
        %w = affine.load %W[%k, %j] : memref<7x5xf32>
        %p = arith.mulf %x, %w : f32
        %s = arith.addf %acc, %p : f32
        affine.yield %s : f32
      }
      %r = arith.maximumf %sum, %zero : f32
      affine.store %r, %Y[%i, %j] : memref<4x5xf32>
    }
  }
  return
}
