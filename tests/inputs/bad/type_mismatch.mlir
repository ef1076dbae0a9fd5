// Expected: exit 2, one line that points at 6:25: %b is used as f64, but it was loaded as f32.
func.func @f(%x: memref<8xf64>, %y: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xf64>
    %b = affine.load %y[%i] : memref<8xf32>
    %c = arith.addf %a, %b : f64
    affine.store %c, %x[%i] : memref<8xf64>
  }
  return
}
