// returns a new array: x + y
func.func @sum_new(%x: memref<5x6xf64>, %y: memref<5x6xf64>) -> memref<5x6xf64> {
  %z = memref.alloc() : memref<5x6xf64>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 6 {
      %a = affine.load %x[%i, %j] : memref<5x6xf64>
      %b = affine.load %y[%i, %j] : memref<5x6xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %z[%i, %j] : memref<5x6xf64>
    }
  }
  return %z : memref<5x6xf64>
}
