// A cubic polynomial by its powers, in 16 bits, which wrap around.
hw.module @cubic(in %a : i16, in %b : i16, in %c : i16, in %d : i16, in %x : i16, out y : i16) {
  %x2 = comb.mul %x, %x : i16
  %x3 = comb.mul %x2, %x : i16
  %t3 = comb.mul %a, %x3 : i16
  %t2 = comb.mul %b, %x2 : i16
  %t1 = comb.mul %c, %x : i16
  %s1 = comb.add %t3, %t2 : i16
  %s2 = comb.add %s1, %t1 : i16
  %y = comb.add %s2, %d : i16
  hw.output %y : i16
}
