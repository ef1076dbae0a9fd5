// The sum of four absolute differences of bytes, as in motion estimation.
hw.module @sad(in %a0 : i8, in %a1 : i8, in %a2 : i8, in %a3 : i8, in %b0 : i8, in %b1 : i8, in %b2 : i8, in %b3 : i8, out y : i10) {
  %z = hw.constant 0 : i2
  %less0 = comb.icmp ult %a0, %b0 : i8
  %up0 = comb.sub %b0, %a0 : i8
  %down0 = comb.sub %a0, %b0 : i8
  %d0 = comb.mux %less0, %up0, %down0 : i8
  %w0 = comb.concat %z, %d0 : i2, i8
  %less1 = comb.icmp ult %a1, %b1 : i8
  %up1 = comb.sub %b1, %a1 : i8
  %down1 = comb.sub %a1, %b1 : i8
  %d1 = comb.mux %less1, %up1, %down1 : i8
  %w1 = comb.concat %z, %d1 : i2, i8
  %less2 = comb.icmp ult %a2, %b2 : i8
  %up2 = comb.sub %b2, %a2 : i8
  %down2 = comb.sub %a2, %b2 : i8
  %d2 = comb.mux %less2, %up2, %down2 : i8
  %w2 = comb.concat %z, %d2 : i2, i8
  %less3 = comb.icmp ult %a3, %b3 : i8
  %up3 = comb.sub %b3, %a3 : i8
  %down3 = comb.sub %a3, %b3 : i8
  %d3 = comb.mux %less3, %up3, %down3 : i8
  %w3 = comb.concat %z, %d3 : i2, i8
  %t1 = comb.add %w0, %w1 : i10
  %t2 = comb.add %t1, %w2 : i10
  %t3 = comb.add %t2, %w3 : i10
  hw.output %t3 : i10
}
