// counts the numbers that are 3 after they were made wider
func.func @eq_widened(%s: memref<9xi32>, %t: memref<9xi64>) {
  %three = arith.constant 3 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  affine.for %i = 0 to 9 {
    %v = affine.load %s[%i] : memref<9xi32>
    %wide = arith.extsi %v : i32 to i64
    %is = arith.cmpi eq, %wide, %three : i64
    %more = arith.select %is, %one, %zero : i64
    %before = affine.load %t[%i] : memref<9xi64>
    %after = arith.addi %before, %more : i64
    affine.store %after, %t[%i] : memref<9xi64>
  }
  return
}
