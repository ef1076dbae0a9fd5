// Two pixels blended: (a alpha + b (255 - alpha)) / 256.
hw.module @blend(in %a : i8, in %b : i8, in %alpha : i8, out y : i8) {
  %z = hw.constant 0 : i8
  %full = hw.constant 255 : i16
  %p = comb.concat %z, %a : i8, i8
  %q = comb.concat %z, %b : i8, i8
  %t = comb.concat %z, %alpha : i8, i8
  %rest = comb.sub %full, %t : i16
  %m1 = comb.mul %p, %t : i16
  %m2 = comb.mul %q, %rest : i16
  %s = comb.add %m1, %m2 : i16
  %y = comb.extract %s from 8 : (i16) -> i8
  hw.output %y : i8
}
