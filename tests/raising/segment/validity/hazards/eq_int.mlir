// a test for one integer, which random numbers never pass
func.func @eq_int(%x: memref<40xi32>, %y: memref<40xi32>) {
  %three = arith.constant 3 : i32
  %one = arith.constant 100 : i32
  affine.for %i = 0 to 40 {
    %v = affine.load %x[%i] : memref<40xi32>
    %c = arith.cmpi eq, %v, %three : i32
    %r = arith.select %c, %one, %v : i32
    affine.store %r, %y[%i] : memref<40xi32>
  }
  return
}
