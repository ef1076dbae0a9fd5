// RUN: passes --schedule %s | filecheck %s

// The longest common subsequence: an element is the larger of two where letters differ, and else does not depend on the
// one before it. Eight elements are a scan: two shuffles for each step, of the larger numbers and of where they count.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (vector<
// CHECK: vector.load
// CHECK: %[[KEPT:.*]] = arith.extsi
// CHECK: %[[MOVED:.*]] = vector.shuffle %[[VALUE:.*]], %[[VALUE]]
// CHECK: %[[BEST:.*]] = arith.maxsi %[[VALUE]], %[[MOVED]]
// CHECK: arith.select %{{.*}}, %[[BEST]], %[[VALUE]]
// CHECK: arith.maxsi %{{.*}}, %{{.*}}
// CHECK: vector.store
func.func @common(%up: memref<?xi32>, %diagonal: memref<?xi32>, %t: memref<?xi32>, %n: index) {
  %c1 = arith.constant 1 : index
  scf.for %j = %c1 to %n step %c1 {
    %k = arith.subi %j, %c1 : index
    %u = memref.load %up[%j] : memref<?xi32>
    %d = memref.load %diagonal[%j] : memref<?xi32>
    %c = arith.cmpi slt, %d, %u : i32
    %l = memref.load %t[%k] : memref<?xi32>
    %m = arith.maxsi %u, %l : i32
    %r = arith.select %c, %d, %m : i32
    memref.store %r, %t[%j] : memref<?xi32>
  }
  return
}
