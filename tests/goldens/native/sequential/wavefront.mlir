// RUN: passes --schedule=fp=strict %s | filecheck %s
// RUN: passes --schedule=fp=strict %s | filecheck %s --check-prefix=KERNEL
// RUN: passes --schedule %s | filecheck %s --check-prefix=SCANS

// Sweeps over the rows of an array in place: row i of one sweep and row i - 2 of the next need nothing of each other. In
// the order of the loops, vectors go across the sweeps; where sums may be reordered, four scans go on at once.
// CHECK-LABEL: func.func @sweeps(
// CHECK-NOT: scf.for
// CHECK: call @native_loops_1(
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: vector.load
// KERNEL: vector.shuffle
// SCANS-LABEL: func.func private @native_loops_1(
// SCANS: scf.if
// SCANS: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
func.func @sweeps(%x: memref<100x100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 99 : index
  %half = arith.constant 0.5 : f32
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c1 to %n step %c1 {
      scf.for %j = %c1 to %n step %c1 {
        %h = arith.subi %i, %c1 : index
        %k = arith.subi %j, %c1 : index
        %p = memref.load %x[%i, %k] : memref<100x100xf32>
        %q = memref.load %x[%h, %j] : memref<100x100xf32>
        %s = arith.addf %p, %q : f32
        %m = arith.mulf %s, %half : f32
        memref.store %m, %x[%i, %j] : memref<100x100xf32>
      }
    }
  }
  return
}

// What depends on the sweep's number is left to the loops.
// CHECK-LABEL: func.func @numbered(
// CHECK-NOT: call
// CHECK: scf.for
func.func @numbered(%x: memref<100x100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 99 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.for %i = %c1 to %n step %c1 {
      scf.for %j = %c1 to %n step %c1 {
        %k = arith.subi %j, %c1 : index
        %p = memref.load %x[%i, %k] : memref<100x100xf32>
        %q = memref.load %x[%t, %j] : memref<100x100xf32>
        %s = arith.mulf %p, %q : f32
        memref.store %s, %x[%i, %j] : memref<100x100xf32>
      }
    }
  }
  return
}
