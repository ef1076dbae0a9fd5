// RUN: programs %s | filecheck %s

// A variable of the module is an argument of the function that uses it.
memref.global @table : memref<8xf32> = uninitialized
// CHECK-LABEL: function fill(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A2: f32[8]; live A2
// CHECK-NEXT: for i3 = 0 to 8
// CHECK-NEXT: A2[i3] = x1
func.func @fill(%x: f32) {
  %m = memref.get_global @table : memref<8xf32>
  affine.for %i = 0 to 8 {
    affine.store %x, %m[%i] : memref<8xf32>
  }
  return
}
