// the mean of each row
func.func @mean(%X: memref<6x8xf32>, %Y: memref<6xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  affine.for %i = 0 to 6 {
    %r = affine.for %j = 0 to 8 iter_args(%a = %z) -> f32 {
      %x = affine.load %X[%i,%j] : memref<6x8xf32>
      %s = arith.addf %a, %x : f32
      affine.yield %s : f32 }
    %q = arith.divf %r, %n : f32
    affine.store %q, %Y[%i] : memref<6xf32> }
  return
}
