// A product of four bytes with one of two banks of weights.
hw.module @dot4(in %a0 : i8, in %a1 : i8, in %a2 : i8, in %a3 : i8, in %b0 : i8, in %b1 : i8, in %b2 : i8, in %b3 : i8, in %c0 : i8, in %c1 : i8, in %c2 : i8, in %c3 : i8, in %bank : i1, out y : i18) {
  %z = hw.constant 0 : i10
  %wa0 = comb.concat %z, %a0 : i10, i8
  %wa1 = comb.concat %z, %a1 : i10, i8
  %wa2 = comb.concat %z, %a2 : i10, i8
  %wa3 = comb.concat %z, %a3 : i10, i8
  %wb0 = comb.concat %z, %b0 : i10, i8
  %wb1 = comb.concat %z, %b1 : i10, i8
  %wb2 = comb.concat %z, %b2 : i10, i8
  %wb3 = comb.concat %z, %b3 : i10, i8
  %wc0 = comb.concat %z, %c0 : i10, i8
  %wc1 = comb.concat %z, %c1 : i10, i8
  %wc2 = comb.concat %z, %c2 : i10, i8
  %wc3 = comb.concat %z, %c3 : i10, i8
  %pb0 = comb.mul %wa0, %wb0 : i18
  %pb1 = comb.mul %wa1, %wb1 : i18
  %pb2 = comb.mul %wa2, %wb2 : i18
  %pb3 = comb.mul %wa3, %wb3 : i18
  %sb1 = comb.add %pb0, %pb1 : i18
  %sb2 = comb.add %sb1, %pb2 : i18
  %sb3 = comb.add %sb2, %pb3 : i18
  %pc0 = comb.mul %wa0, %wc0 : i18
  %pc1 = comb.mul %wa1, %wc1 : i18
  %pc2 = comb.mul %wa2, %wc2 : i18
  %pc3 = comb.mul %wa3, %wc3 : i18
  %sc1 = comb.add %pc0, %pc1 : i18
  %sc2 = comb.add %sc1, %pc2 : i18
  %sc3 = comb.add %sc2, %pc3 : i18
  %y = comb.mux %bank, %sb3, %sc3 : i18
  hw.output %y : i18
}
