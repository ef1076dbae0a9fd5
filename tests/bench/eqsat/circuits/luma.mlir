// The brightness of a pixel: (77 r + 150 g + 29 b + 128) / 256.
hw.module @luma(in %r : i8, in %g : i8, in %b : i8, out y : i8) {
  %z = hw.constant 0 : i8
  %wr = comb.concat %z, %r : i8, i8
  %wg = comb.concat %z, %g : i8, i8
  %wb = comb.concat %z, %b : i8, i8
  %kr = hw.constant 77 : i16
  %pr = comb.mul %wr, %kr : i16
  %kg = hw.constant 150 : i16
  %pg = comb.mul %wg, %kg : i16
  %kb = hw.constant 29 : i16
  %pb = comb.mul %wb, %kb : i16
  %s1 = comb.add %pr, %pg : i16
  %s2 = comb.add %s1, %pb : i16
  %round = hw.constant 128 : i16
  %s3 = comb.add %s2, %round : i16
  %y = comb.extract %s3 from 8 : (i16) -> i8
  hw.output %y : i8
}
