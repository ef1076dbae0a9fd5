// a sum that one pair of numbers in many has more of: few elements are computed in one pass of the loop that stays
func.func @rarely_true(%s: memref<30xi32>, %t: memref<30xf32>) {
  %three = arith.constant 3 : i64
  affine.for %i = 1 to 30 {
    %a = affine.load %s[%i] : memref<30xi32>
    %b = affine.load %s[%i - 1] : memref<30xi32>
    %x = arith.extsi %a : i32 to i64
    %y = arith.extsi %b : i32 to i64
    %sum = arith.addi %x, %y : i64
    %pair = arith.cmpi eq, %sum, %three : i64
    %one = arith.constant 1.0 : f32
    %none = arith.constant 0.0 : f32
    %more = arith.select %pair, %one, %none : f32
    %last = affine.load %t[%i - 1] : memref<30xf32>
    %through = arith.addf %last, %more : f32
    %own = affine.load %t[%i] : memref<30xf32>
    %best = arith.maximumf %own, %through : f32
    affine.store %best, %t[%i] : memref<30xf32>
  }
  return
}
