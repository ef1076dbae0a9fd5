// RUN: programs %s | filecheck %s

// A memory that holds nothing but 0 and 1 accumulates by bits: the test that is stored is a selection between numbers.
// CHECK-LABEL: function any(
// CHECK-NEXT: barrier affine.store
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier affine.load
// CHECK-NEXT: barrier affine.store
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8], local A5: i32; live A1, A5
// CHECK-NEXT: for i7 = 0 to 8
// CHECK-NEXT: v8 = A1[i7]
// CHECK-NEXT: v9 = arith.cmpf(v8, x3) 4 : i64 : i1
// CHECK-NEXT: v10 = A5
// CHECK-NEXT: v11 = arith.cmpi(v10, x4) 1 : i64 : i1
// CHECK-NEXT: v12 = arith.ori(v11, v9) : i1
// CHECK-NEXT: v13_1 = arith.select(v9, truth_1_i32, truth_0_i32) : i32
// CHECK-NEXT: v13 = arith.ori(v10, v13_1) : i32
// CHECK-NEXT: A5 = v13
func.func @any(%a: memref<8xf32>, %out: memref<i32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %m = memref.alloc() : memref<i32>
  affine.store %none, %m[] : memref<i32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %c = arith.cmpf olt, %x, %zero : f32
    %old = affine.load %m[] : memref<i32>
    %t = arith.cmpi ne, %old, %none : i32
    %s = arith.ori %t, %c : i1
    %n = arith.extui %s : i1 to i32
    affine.store %n, %m[] : memref<i32>
  }
  %r = affine.load %m[] : memref<i32>
  affine.store %r, %out[] : memref<i32>
  return
}
