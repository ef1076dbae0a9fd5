// a sum that one pair of bytes in many has more of: few elements are computed in one pass of the loop that stays
func.func @rarely_true(%s: memref<30xi8>, %t: memref<30xf32>) {
  %three = arith.constant 3 : i32
  affine.for %i = 1 to 30 {
    %a = affine.load %s[%i] : memref<30xi8>
    %b = affine.load %s[%i - 1] : memref<30xi8>
    %x = arith.extsi %a : i8 to i32
    %y = arith.extsi %b : i8 to i32
    %sum = arith.addi %x, %y : i32
    %pair = arith.cmpi eq, %sum, %three : i32
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
