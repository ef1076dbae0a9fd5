// RUN: programs %s | filecheck %s

// A part of an array is that array, at other subscripts.
// CHECK-LABEL: function part(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8][8]; live A1
// CHECK-NEXT: for i3 = 0 to 4
// CHECK-NEXT: A1[i3 + 2][1] = x2
func.func @part(%a: memref<8x8xf32>, %x: f32) {
  %m = memref.subview %a[2, 1] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 17>>
  affine.for %i = 0 to 4 {
    affine.store %x, %m[%i, 0] : memref<4x4xf32, strided<[8, 1], offset: 17>>
  }
  return
}
