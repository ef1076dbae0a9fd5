// Four taps of a filter whose partial sums are scaled down by a number of bits: ((x + z1 >> s) + z2 >> s) + z3 >> s) + z4.
hw.module @fir(in %x : i32, in %z1 : i32, in %z2 : i32, in %z3 : i32, in %z4 : i32, in %s : i5, out y : i32) {
  %zeros = hw.constant 0 : i27
  %n = comb.concat %zeros, %s : i27, i5
  %t1 = comb.add %x, %z1 : i32
  %h1 = comb.shru %t1, %n : i32
  %t2 = comb.add %h1, %z2 : i32
  %h2 = comb.shru %t2, %n : i32
  %t3 = comb.add %h2, %z3 : i32
  %h3 = comb.shru %t3, %n : i32
  %t4 = comb.add %h3, %z4 : i32
  hw.output %t4 : i32
}
