// RUN: programs %s | filecheck %s

// Loops, conditions and accesses become the nodes of a program.
// CHECK-LABEL: function triangle(
// CHECK-NEXT: nest affine.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[8][8]; live A1
// CHECK-NEXT: for i3 = 0 to 8
// CHECK-NEXT: for i4 = 0 to i3 + 1
// CHECK-NEXT: if i3 - 1*i4 - 2 >= 0
// CHECK-NEXT: A1[i3][-1*i4 + 7] = x2
func.func @triangle(%a: memref<8x8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      affine.if affine_set<(i, j) : (i - j - 2 >= 0)>(%i, %j) {
        affine.store %x, %a[%i, 7 - %j] : memref<8x8xf32>
      }
    }
  }
  return
}

// `scf` loops with `memref` accesses are read if their bounds and subscripts are affine in sizes.
// CHECK-LABEL: function scf(
// CHECK-NEXT: nest scf.for
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[A1_0]; live A1
// CHECK-NEXT: for i4 = 0 to n2 step 2
// CHECK-NEXT: A1[i4] = x3
func.func @scf(%a: memref<?xf32>, %n: index, %x: f32) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  scf.for %i = %zero to %n step %two {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  return
}

// A subscript that is a product of two loop variables is none: the nest is kept, with the reason.
// CHECK-LABEL: function product(
// CHECK-NEXT: refused affine.for: a subscript or bound is not an affine function of loop variables and sizes
// CHECK-NEXT: barrier func.return
func.func @product(%a: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %k = arith.muli %i, %j : index
      memref.store %x, %a[%k] : memref<64xf32>
    }
  }
  return
}
