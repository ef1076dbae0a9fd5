// the same integers read as signed and as unsigned
func.func @unsigned_float(%x: memref<16xi32>, %y: memref<16xf64>, %z: memref<16xf64>) {
  affine.for %i = 0 to 16 {
    %v = affine.load %x[%i] : memref<16xi32>
    %a = arith.sitofp %v : i32 to f64
    %b = arith.uitofp %v : i32 to f64
    affine.store %a, %y[%i] : memref<16xf64>
    affine.store %b, %z[%i] : memref<16xf64>
  }
  return
}
