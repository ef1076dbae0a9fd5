// RUN: passes --schedule %s | filecheck %s
// RUN: passes --schedule %s | filecheck %s --check-prefix=KERNEL
// RUN: passes --schedule=fp=strict %s | filecheck %s --check-prefix=STRICT

// Prefix sums: each element needs the one before it. A vector of them is summed in steps of 1, 2 and 4 elements, if
// sums may be reordered; else the loop stays.
// CHECK-LABEL: func.func @prefix(
// CHECK: call @native_loops_1(%arg0, %{{.*}}, %{{.*}}) : (memref<1000xf32>, index, index) -> ()
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: vector.shuffle %{{.*}} [7, 8, 9, 10, 11, 12, 13, 14]
// KERNEL: arith.addf %{{.*}} : vector<8xf32>
// KERNEL: vector.shuffle %{{.*}} [6, 7, 8, 9, 10, 11, 12, 13]
// KERNEL: arith.addf %{{.*}} : vector<8xf32>
// KERNEL: vector.shuffle %{{.*}} [4, 5, 6, 7, 8, 9, 10, 11]
// KERNEL: arith.addf %{{.*}} : vector<8xf32>
// STRICT-LABEL: func.func @prefix(
// STRICT-NOT: call
// STRICT: scf.for
func.func @prefix(%x: memref<1000xf32>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  scf.for %i = %c1 to %n step %c1 {
    %k = arith.subi %i, %c1 : index
    %p = memref.load %x[%k] : memref<1000xf32>
    %q = memref.load %x[%i] : memref<1000xf32>
    %s = arith.addf %p, %q : f32
    memref.store %s, %x[%i] : memref<1000xf32>
  }
  return
}
