// RUN: programs %s | filecheck %s

// A maximum of truth values with sign is their conjunction, since 1 is -1 there; a constant at another width is a
// constant.
// CHECK-LABEL: function both(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: i32[8], argument A2: i64[8]; live A1, A2
// CHECK-NEXT: for i4 = 0 to 8
// CHECK-NEXT: v5 = A1[i4]
// CHECK-NEXT: v6 = arith.cmpi(v5, x3) 4 : i64 : i1
// CHECK-NEXT: v7 = arith.cmpi(v5, v5) 0 : i64 : i1
// CHECK-NEXT: v8 = arith.andi(v6, v7) : i1
// CHECK-NEXT: v10 = arith.select(v8, truth_1_i64, truth_0_i64) : i64
// CHECK-NEXT: v11 = arith.muli(v10, x9) : i64
// CHECK-NEXT: A2[i4] = v11
func.func @both(%a: memref<8xi32>, %out: memref<8xi64>) {
  %five = arith.constant 5 : i32
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xi32>
    %c = arith.cmpi sgt, %x, %five : i32
    %d = arith.cmpi eq, %x, %x : i32
    %e = arith.maxsi %c, %d : i1
    %wide = arith.extsi %five : i32 to i64
    %y = arith.extui %e : i1 to i64
    %z = arith.muli %y, %wide : i64
    affine.store %z, %out[%i] : memref<8xi64>
  }
  return
}
