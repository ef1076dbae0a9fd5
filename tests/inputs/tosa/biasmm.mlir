// a matrix product that starts from a bias
func.func @biasmm(%X: memref<6x7xf32>, %W: memref<7x8xf32>, %b: memref<8xf32>, %Y: memref<6x8xf32>) {
  affine.for %i = 0 to 6 { affine.for %j = 0 to 8 {
    %x0 = affine.load %b[%j] : memref<8xf32>
    affine.store %x0, %Y[%i,%j] : memref<6x8xf32>
    affine.for %k = 0 to 7 {
    %x = affine.load %X[%i,%k] : memref<6x7xf32>
    %w = affine.load %W[%k,%j] : memref<7x8xf32>
    %m = arith.mulf %x, %w : f32
    %y = affine.load %Y[%i,%j] : memref<6x8xf32>
    %s = arith.addf %y, %m : f32
    affine.store %s, %Y[%i,%j] : memref<6x8xf32> } } }
  return
}
