// x := max(x, 0) in place, by compare and select
func.func @relu(%x: memref<6x11xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 11 {
      %v = affine.load %x[%i, %j] : memref<6x11xf32>
      %positive = arith.cmpf ogt, %v, %zero : f32
      %r = arith.select %positive, %v, %zero : f32
      affine.store %r, %x[%i, %j] : memref<6x11xf32>
    }
  }
  return
}
