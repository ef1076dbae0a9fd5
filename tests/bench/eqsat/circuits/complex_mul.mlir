// A product of complex numbers in 16 bits, which wrap around.
hw.module @complex_mul(in %a : i16, in %b : i16, in %c : i16, in %d : i16, out re : i16, out im : i16) {
  %ac = comb.mul %a, %c : i16
  %bd = comb.mul %b, %d : i16
  %ad = comb.mul %a, %d : i16
  %bc = comb.mul %b, %c : i16
  %re = comb.sub %ac, %bd : i16
  %im = comb.add %ad, %bc : i16
  hw.output %re, %im : i16, i16
}
