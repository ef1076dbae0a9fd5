// where two arrays agree: random arrays never do
func.func @equal_arrays(%x: memref<16xi32>, %y: memref<16xi32>, %n: memref<16xi32>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 16 {
    %a = affine.load %x[%i] : memref<16xi32>
    %b = affine.load %y[%i] : memref<16xi32>
    %c = arith.cmpi eq, %a, %b : i32
    %r = arith.select %c, %one, %zero : i32
    affine.store %r, %n[%i] : memref<16xi32>
  }
  return
}
