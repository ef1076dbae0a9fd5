// A product of two words that are shifted before: (a << m) * (b << n), 64 bits of it.
hw.module @shift_mult(in %a : i32, in %b : i32, in %m : i5, in %n : i5, out y : i64) {
  %z32 = hw.constant 0 : i32
  %z59 = hw.constant 0 : i59
  %wide_a = comb.concat %z32, %a : i32, i32
  %wide_b = comb.concat %z32, %b : i32, i32
  %wide_m = comb.concat %z59, %m : i59, i5
  %wide_n = comb.concat %z59, %n : i59, i5
  %d = comb.shl %wide_a, %wide_m : i64
  %e = comb.shl %wide_b, %wide_n : i64
  %y = comb.mul %d, %e : i64
  hw.output %y : i64
}
