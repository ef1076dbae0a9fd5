// RUN: passes --join-loops %s | filecheck %s

// Two loops that need the same element of an array, each one before its own: one loop that reads it once.
// CHECK-LABEL: func.func @two(
// CHECK: scf.for %arg3 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: memref.load %arg0[%arg3] : memref<100xf32>
// CHECK-NEXT: memref.load %arg1[%{{.*}}] : memref<100xf32>
// CHECK: memref.store %{{.*}}, %arg1[%arg3] : memref<100xf32>
// CHECK: memref.load %arg0[%arg3] : memref<100xf32>
// CHECK-NEXT: memref.load %arg2[%{{.*}}] : memref<100xf32>
// CHECK: memref.store %{{.*}}, %arg2[%arg3] : memref<100xf32>
func.func @two(%a: memref<100xf32>, %x: memref<100xf32>, %y: memref<100xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %i = %c1 to %n step %c1 {
    %k = arith.subi %i, %c1 : index
    %f = memref.load %a[%i] : memref<100xf32>
    %p = memref.load %x[%k] : memref<100xf32>
    %s = arith.mulf %p, %f : f32
    memref.store %s, %x[%i] : memref<100xf32>
  }
  scf.for %i = %c1 to %n step %c1 {
    %k = arith.subi %i, %c1 : index
    %f = memref.load %a[%i] : memref<100xf32>
    %p = memref.load %y[%k] : memref<100xf32>
    %s = arith.mulf %p, %f : f32
    memref.store %s, %y[%i] : memref<100xf32>
  }
  return
}

// The second reads what later iterations of the first write: two loops.
// CHECK-LABEL: func.func @later(
// CHECK: scf.for %arg3 = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: scf.for %arg3 = %{{.*}} to %{{.*}} step %{{.*}} {
func.func @later(%a: memref<100xf32>, %x: memref<101xf32>, %y: memref<100xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  scf.for %i = %c1 to %n step %c1 {
    %k = arith.subi %i, %c1 : index
    %f = memref.load %a[%i] : memref<100xf32>
    %p = memref.load %x[%k] : memref<101xf32>
    %s = arith.mulf %p, %f : f32
    memref.store %s, %x[%i] : memref<101xf32>
  }
  scf.for %i = %c1 to %n step %c1 {
    %k = arith.addi %i, %c1 : index
    %f = memref.load %a[%i] : memref<100xf32>
    %p = memref.load %x[%k] : memref<101xf32>
    %s = arith.mulf %p, %f : f32
    memref.store %s, %y[%i] : memref<100xf32>
  }
  return
}
