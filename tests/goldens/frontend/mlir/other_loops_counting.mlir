// RUN: programs %s | filecheck %s

// A `while` whose condition compares a counter with a bound is a loop that counts.
// CHECK-LABEL: function count(
// CHECK-NEXT: nest scf.while
// CHECK-NEXT: barrier func.return
// CHECK-NEXT: program: argument A1: f32[A1_0]; live A1
// CHECK-NEXT: for i4 = 0 to n2
// CHECK-NEXT: A1[i4] = x3
func.func @count(%a: memref<?xf32>, %n: index, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.while (%i = %zero) : (index) -> index {
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %x, %a[%i] : memref<?xf32>
    %j = arith.addi %i, %one : index
    scf.yield %j : index
  }
  return
}

// One whose condition is data is kept.
// CHECK-LABEL: function search(
// CHECK-NEXT: refused scf.while: it is not a static-control loop (scf.while)
// CHECK-NEXT: barrier func.return
func.func @search(%a: memref<?xf32>, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.while (%i = %zero) : (index) -> index {
    %y = memref.load %a[%i] : memref<?xf32>
    %c = arith.cmpf olt, %y, %x : f32
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %x, %a[%i] : memref<?xf32>
    %j = arith.addi %i, %one : index
    scf.yield %j : index
  }
  return
}
