// Four sums and differences, of which two tests choose one.
hw.module @add_sub(in %a : i24, in %b : i24, in %c : i24, in %minus : i1, in %other : i1, out y : i24) {
  %t0 = comb.add %a, %b : i24
  %t1 = comb.sub %a, %b : i24
  %t2 = comb.add %a, %c : i24
  %t3 = comb.sub %a, %c : i24
  %m0 = comb.mux %minus, %t1, %t0 : i24
  %m1 = comb.mux %minus, %t3, %t2 : i24
  %y = comb.mux %other, %m1, %m0 : i24
  hw.output %y : i24
}
