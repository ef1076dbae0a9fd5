// sum[] := x . y in 32-bit integers, kept in a rank-0 buffer
func.func @dot_i32(%x: memref<40xi32>, %y: memref<40xi32>, %sum: memref<i32>) {
  %zero = arith.constant 0 : i32
  affine.store %zero, %sum[] : memref<i32>
  affine.for %i = 0 to 40 {
    %a = affine.load %x[%i] : memref<40xi32>
    %b = affine.load %y[%i] : memref<40xi32>
    %p = arith.muli %a, %b : i32
    %s = affine.load %sum[] : memref<i32>
    %t = arith.addi %s, %p : i32
    affine.store %t, %sum[] : memref<i32>
  }
  return
}
