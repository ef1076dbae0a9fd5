// A product of two words, shifted, and added to: (a * b << s) + c.
hw.module @shifted_fma(in %a : i32, in %b : i32, in %s : i5, in %c : i64, out y : i65) {
  %z33 = hw.constant 0 : i33
  %z60 = hw.constant 0 : i60
  %z1 = hw.constant 0 : i1
  %wide_a = comb.concat %z33, %a : i33, i32
  %wide_b = comb.concat %z33, %b : i33, i32
  %n = comb.concat %z60, %s : i60, i5
  %wide_c = comb.concat %z1, %c : i1, i64
  %p = comb.mul %wide_a, %wide_b : i65
  %t = comb.shl %p, %n : i65
  %y = comb.add %t, %wide_c : i65
  hw.output %y : i65
}
