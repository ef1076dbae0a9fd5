// RUN: programs %s | filecheck %s

// A branch on data whose sides may both be evaluated is a selection.
// CHECK-LABEL: function clip(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8]; live A1
// CHECK-NEXT: for i3 = 0 to 8
// CHECK-NEXT: v4 = A1[i3]
// CHECK-NEXT: v5 = arith.cmpf(v4, x2) 4 : i64 : i1
// CHECK-NEXT: v7 = arith.negf(v4) : f32
// CHECK-NEXT: v10 = arith.select(v5, v7, v4) : f32
// CHECK-NEXT: A1[i3] = v10
func.func @clip(%a: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %c = arith.cmpf olt, %x, %zero : f32
    %y = scf.if %c -> f32 {
      %n = arith.negf %x : f32
      scf.yield %n : f32
    } else {
      scf.yield %x : f32
    }
    affine.store %y, %a[%i] : memref<8xf32>
  }
  return
}

// A division of integers may trap where the branch would not run it: there it divides by another number.
// CHECK-LABEL: function divided(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: i32[8]; live A1
// CHECK-NEXT: for i3 = 0 to 8
// CHECK-NEXT: v4 = A1[i3]
// CHECK-NEXT: v5 = arith.cmpi(v4, x2) 1 : i64 : i1
// CHECK-NEXT: v11 = arith.select(v5, v4, x10) : i32
// CHECK-NEXT: v7 = arith.divsi(v4, v11) : i32
// CHECK-NEXT: v12 = arith.select(v5, v7, v4) : i32
// CHECK-NEXT: A1[i3] = v12
func.func @divided(%a: memref<8xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xi32>
    %c = arith.cmpi ne, %x, %zero : i32
    %y = scf.if %c -> i32 {
      %n = arith.divsi %x, %x : i32
      scf.yield %n : i32
    } else {
      scf.yield %x : i32
    }
    affine.store %y, %a[%i] : memref<8xi32>
  }
  return
}
