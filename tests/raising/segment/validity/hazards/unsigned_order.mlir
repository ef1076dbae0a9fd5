// the smaller one, signed and unsigned
func.func @unsigned_order(%x: memref<16xi32>, %y: memref<16xi32>, %z: memref<16xi32>, %w: memref<16xi32>) {
  affine.for %i = 0 to 16 {
    %a = affine.load %x[%i] : memref<16xi32>
    %b = affine.load %y[%i] : memref<16xi32>
    %s = arith.cmpi slt, %a, %b : i32
    %u = arith.cmpi ult, %a, %b : i32
    %c = arith.select %s, %a, %b : i32
    %d = arith.select %u, %a, %b : i32
    affine.store %c, %z[%i] : memref<16xi32>
    affine.store %d, %w[%i] : memref<16xi32>
  }
  return
}
