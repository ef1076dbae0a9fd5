// y[i] := x[0] + ... + x[i]. Sequential as written; equal to a triangular mask times x, so a raiser
// may either leave it (with a remark) or find that.
func.func @prefix_sum(%x: memref<15xf64>, %y: memref<15xf64>) {
  %first = affine.load %x[0] : memref<15xf64>
  affine.store %first, %y[0] : memref<15xf64>
  affine.for %i = 1 to 15 {
    %before = affine.load %y[%i - 1] : memref<15xf64>
    %here = affine.load %x[%i] : memref<15xf64>
    %sum = arith.addf %before, %here : f64
    affine.store %sum, %y[%i] : memref<15xf64>
  }
  return
}
