// RUN: passes --delay-updates %s | filecheck %s
// RUN: passes --delay-updates=fp=strict %s | filecheck %s --check-prefix=STRICT

// Iteration t takes a product away from all columns behind t. In a block, it does so with the columns of the block; the
// products of the rows behind are one contraction for 32 iterations, what these iterations do to each other's rows is
// taken from them one after the other, and one more contraction takes all of it from the array.
// CHECK-LABEL: func.func @orthogonal(
// CHECK: scf.for %[[B:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[LAST:.*]] = arith.minsi %{{.*}}, %c100 : index
// CHECK: scf.for %[[T:.*]] = %[[B]] to %[[LAST]] step %{{.*}} {
// CHECK: %[[ALL:.*]] = arith.subi %c99, %[[T]] : index
// CHECK: %[[REST:.*]] = arith.subi %{{.*}}, %[[T]] : index
// CHECK: %[[K:.*]] = arith.minsi %[[ALL]], %[[REST]] : index
// CHECK: memref.subview %arg0[0, %{{.*}}] [40, %[[K]]] [1, 1]
// CHECK: %[[W:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<32x?xf64>
// CHECK: iterator_types = ["parallel", "parallel"]} outs(
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: %[[G:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x32xf64>
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: scf.for %[[S:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: memref.subview %[[G]][%[[S]], 0] [1, %[[S]]] [1, 1]
// CHECK: memref.subview %[[W]][0, 0] [%[[S]], %{{.*}}] [1, 1]
// CHECK: memref.subview %[[W]][%[[S]], 0] [1, %{{.*}}] [1, 1]
// CHECK: arith.subf
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.subf
// CHECK: memref.subview %arg2[%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] [1, 1]
// STRICT: scf.for
// STRICT-NOT: scf.for
// STRICT: func.func @changed(
func.func @orthogonal(%a: memref<40x100xf64>, %q: memref<40x100xf64>, %rs: memref<100x100xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %last = arith.constant 99 : index
  %zero = arith.constant 0.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    %t1 = arith.addi %t, %c1 : index
    %k = arith.subi %last, %t : index
    %at = memref.subview %a[0, %t] [40, 1] [1, 1] : memref<40x100xf64> to memref<40xf64, strided<[100], offset: ?>>
    %qt = memref.subview %q[0, %t] [40, 1] [1, 1] : memref<40x100xf64> to memref<40xf64, strided<[100], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%at : memref<40xf64, strided<[100], offset: ?>>) outs(%qt : memref<40xf64, strided<[100], offset: ?>>) {
    ^bb0(%x: f64, %old: f64):
      %s = math.sqrt %x : f64
      linalg.yield %s : f64
    }
    %b = memref.subview %a[0, %t1] [40, %k] [1, 1] : memref<40x100xf64> to memref<40x?xf64, strided<[100, 1], offset: ?>>
    %rt = memref.subview %rs[%t, %t1] [1, %k] [1, 1] : memref<100x100xf64> to memref<?xf64, strided<[1], offset: ?>>
    %r = memref.alloc(%k) : memref<?xf64>
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%r : memref<?xf64>) {
    ^bb0(%old: f64):
      linalg.yield %zero : f64
    }
    linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%qt, %b : memref<40xf64, strided<[100], offset: ?>>, memref<40x?xf64, strided<[100, 1], offset: ?>>) outs(%r : memref<?xf64>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %p = arith.mulf %x, %y : f64
      %s = arith.addf %old, %p : f64
      linalg.yield %s : f64
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%qt, %r : memref<40xf64, strided<[100], offset: ?>>, memref<?xf64>) outs(%b : memref<40x?xf64, strided<[100, 1], offset: ?>>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %p = arith.mulf %x, %y : f64
      %s = arith.subf %old, %p : f64
      linalg.yield %s : f64
    }
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]} ins(%r : memref<?xf64>) outs(%rt : memref<?xf64, strided<[1], offset: ?>>) {
    ^bb0(%x: f64, %old: f64):
      linalg.yield %x : f64
    }
  }
  return
}

// A store into a column that the updates of an earlier iteration still need: nothing waits.
// CHECK-LABEL: func.func @changed(
// CHECK: scf.for
// CHECK-NOT: scf.for
func.func @changed(%a: memref<40x100xf64>, %q: memref<40x100xf64>, %rs: memref<100x100xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %last = arith.constant 99 : index
  %zero = arith.constant 0.0 : f64
  scf.for %t = %c0 to %n step %c1 {
    %t1 = arith.addi %t, %c1 : index
    %k = arith.subi %last, %t : index
    %at = memref.subview %a[0, %t] [40, 1] [1, 1] : memref<40x100xf64> to memref<40xf64, strided<[100], offset: ?>>
    %qt = memref.subview %q[0, %t] [40, 1] [1, 1] : memref<40x100xf64> to memref<40xf64, strided<[100], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%at : memref<40xf64, strided<[100], offset: ?>>) outs(%qt : memref<40xf64, strided<[100], offset: ?>>) {
    ^bb0(%x: f64, %old: f64):
      %s = math.sqrt %x : f64
      linalg.yield %s : f64
    }
    %b = memref.subview %a[0, %t1] [40, %k] [1, 1] : memref<40x100xf64> to memref<40x?xf64, strided<[100, 1], offset: ?>>
    %rt = memref.subview %rs[%t, %t1] [1, %k] [1, 1] : memref<100x100xf64> to memref<?xf64, strided<[1], offset: ?>>
    %r = memref.alloc(%k) : memref<?xf64>
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]} outs(%r : memref<?xf64>) {
    ^bb0(%old: f64):
      linalg.yield %zero : f64
    }
    linalg.generic {indexing_maps = [affine_map<(j, i) -> (i)>, affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%qt, %b : memref<40xf64, strided<[100], offset: ?>>, memref<40x?xf64, strided<[100, 1], offset: ?>>) outs(%r : memref<?xf64>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %p = arith.mulf %x, %y : f64
      %s = arith.addf %old, %p : f64
      linalg.yield %s : f64
    }
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%qt, %r : memref<40xf64, strided<[100], offset: ?>>, memref<?xf64>) outs(%b : memref<40x?xf64, strided<[100, 1], offset: ?>>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %p = arith.mulf %x, %y : f64
      %s = arith.subf %old, %p : f64
      linalg.yield %s : f64
    }
    linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> (j)>], iterator_types = ["parallel"]} ins(%r : memref<?xf64>) outs(%rt : memref<?xf64, strided<[1], offset: ?>>) {
    ^bb0(%x: f64, %old: f64):
      linalg.yield %x : f64
    }
    memref.store %zero, %q[%c0, %c0] : memref<40x100xf64>
  }
  return
}
