// y[i] := (x[i - 1] + x[i] + x[i + 1]) / 3 inside; the two ends of y keep their value
func.func @stencil3(%x: memref<24xf64>, %y: memref<24xf64>) {
  %three = arith.constant 3.0 : f64
  affine.for %i = 1 to 23 {
    %l = affine.load %x[%i - 1] : memref<24xf64>
    %c = affine.load %x[%i] : memref<24xf64>
    %r = affine.load %x[%i + 1] : memref<24xf64>
    %0 = arith.addf %l, %c : f64
    %1 = arith.addf %0, %r : f64
    %2 = arith.divf %1, %three : f64
    affine.store %2, %y[%i] : memref<24xf64>
  }
  return
}
