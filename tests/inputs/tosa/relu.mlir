// max(x, 0)
func.func @relu(%X: memref<6x7xf32>, %Y: memref<6x7xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 { affine.for %j = 0 to 7 {
    %x = affine.load %X[%i,%j] : memref<6x7xf32>
    %y = arith.maximumf %x, %z : f32
    affine.store %y, %Y[%i,%j] : memref<6x7xf32> } }
  return
}
