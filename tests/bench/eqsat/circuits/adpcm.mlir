// The difference that an ADPCM decoder adds: an eighth of the step, and step, half and quarter where a bit is not set.
hw.module @adpcm(in %step : i32, in %delta : i32, out difference : i32) {
  %true = hw.constant true
  %z1 = hw.constant 0 : i1
  %z2 = hw.constant 0 : i2
  %z3 = hw.constant 0 : i3
  %d2 = comb.extract %delta from 2 : (i32) -> i1
  %d1 = comb.extract %delta from 1 : (i32) -> i1
  %d0 = comb.extract %delta from 0 : (i32) -> i1
  %n2 = comb.xor %d2, %true : i1
  %n1 = comb.xor %d1, %true : i1
  %n0 = comb.xor %d0, %true : i1
  %b1 = comb.extract %step from 1 : (i32) -> i31
  %half = comb.concat %z1, %b1 : i1, i31
  %b2 = comb.extract %step from 2 : (i32) -> i30
  %quarter = comb.concat %z2, %b2 : i2, i30
  %b3 = comb.extract %step from 3 : (i32) -> i29
  %eighth = comb.concat %z3, %b3 : i3, i29
  %s2 = comb.add %eighth, %step : i32
  %v2 = comb.mux %n2, %s2, %eighth : i32
  %s1 = comb.add %v2, %half : i32
  %v1 = comb.mux %n1, %s1, %v2 : i32
  %s0 = comb.add %v1, %quarter : i32
  %v0 = comb.mux %n0, %s0, %v1 : i32
  hw.output %v0 : i32
}
