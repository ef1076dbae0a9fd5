// RUN: programs %s | filecheck %s

// The loops of a parallel operation, with the reduction as a cell that every iteration adds to.
// CHECK-LABEL: function sum(
// CHECK-NEXT: nest affine.parallel
// CHECK-NEXT: barrier affine.store
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8], scalar c4: f32, scalar c8: f32; live A1, c4
// CHECK-NEXT: c4 = x3
// CHECK-NEXT: for i7 = 0 to 8
// CHECK-NEXT: v9 = A1[i7]
// CHECK-NEXT: c8 = v9
// CHECK-NEXT: v11 = c4
// CHECK-NEXT: v12 = c8
// CHECK-NEXT: v13 = arith.addf(v11, v12) : f32
// CHECK-NEXT: c4 = v13
// CHECK-NEXT: v15 = c4
func.func @sum(%a: memref<8xf32>, %out: memref<f32>) {
  %r = affine.parallel (%i) = (0) to (8) reduce ("addf") -> f32 {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.yield %x : f32
  }
  affine.store %r, %out[] : memref<f32>
  return
}
