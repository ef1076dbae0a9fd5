// y := min(max(x, low), high)
func.func @clamp(%low: f32, %high: f32, %x: memref<17xf32>, %y: memref<17xf32>) {
  affine.for %i = 0 to 17 {
    %v = affine.load %x[%i] : memref<17xf32>
    %a = arith.maximumf %v, %low : f32
    %b = arith.minimumf %a, %high : f32
    affine.store %b, %y[%i] : memref<17xf32>
  }
  return
}
