// Add, compare, select: the smaller of two path metrics after one branch.
hw.module @viterbi(in %p0 : i12, in %p1 : i12, in %b : i12, out best : i14, out first : i1) {
  %z = hw.constant 0 : i2
  %wp0 = comb.concat %z, %p0 : i2, i12
  %wp1 = comb.concat %z, %p1 : i2, i12
  %wb = comb.concat %z, %b : i2, i12
  %s0 = comb.add %wp0, %wb : i14
  %s1 = comb.add %wp1, %wb : i14
  %first = comb.icmp ult %s0, %s1 : i14
  %best = comb.mux %first, %s0, %s1 : i14
  hw.output %best, %first : i14, i1
}
