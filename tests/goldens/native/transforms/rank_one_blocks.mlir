// RUN: passes --block-updates --mlir=canonicalize,cse %s | filecheck %s
// RUN: passes --block-updates %s | filecheck %s --check-prefix=PLAIN
// PLAIN: linalg.generic

// Of 64 iterations, those for the block's own rows and columns come first, and keep the row and the column that each of
// them reads. Then all other elements have their 64 iterations: a product.
// CHECK-LABEL: func.func @eliminate(
// CHECK: %[[COLUMNS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<216x64xf64>
// CHECK-NEXT: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x216xf64>
// CHECK-NEXT: scf.for %arg1 = %c0 to %c200 step %c64 {
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c200 : index
// CHECK-NEXT: %[[STEPS:.*]] = arith.subi %[[END]], %arg1 : index
// CHECK-NEXT: scf.for %arg2 = %arg1 to %[[END]] step %c1 {
// CHECK: memref.subview %[[COLUMNS]][
// CHECK-NEXT: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
// CHECK: memref.subview %[[ROWS]][
// CHECK-NEXT: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
// CHECK: linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]}
// CHECK: linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]}
// CHECK: %[[A:.*]] = memref.subview %[[COLUMNS]][%[[END]], 0] [%{{.*}}, %[[STEPS]]] [1, 1]
// CHECK-NEXT: %[[B:.*]] = memref.subview %[[ROWS]][0, %[[END]]] [%[[STEPS]], %{{.*}}] [1, 1]
// CHECK-NEXT: %[[REST:.*]] = memref.subview %arg0[%[[END]], %[[END]]]
// CHECK-NEXT: linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[REST]] : {{.*}}) {
func.func @eliminate(%d: memref<200x200xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %last = arith.constant 199 : index
  scf.for %t = %c0 to %n step %c1 {
    %next = arith.addi %t, %c1 : index
    %rest = arith.subi %last, %t : index
    %row = memref.subview %d[%t, %next] [1, %rest] [1, 1] : memref<200x200xf64> to memref<?xf64, strided<[1], offset: ?>>
    %column = memref.subview %d[%next, %t] [%rest, 1] [1, 1] : memref<200x200xf64> to memref<?xf64, strided<[200], offset: ?>>
    %part = memref.subview %d[%next, %next] [%rest, %rest] [1, 1] : memref<200x200xf64> to memref<?x?xf64, strided<[200, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%column, %row : memref<?xf64, strided<[200], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>) outs(%part : memref<?x?xf64, strided<[200, 1], offset: ?>>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %p = arith.mulf %x, %y : f64
      %r = arith.subf %old, %p : f64
      linalg.yield %r : f64
    }
  }
  return
}

// Every iteration reads the first row.
// CHECK-LABEL: func.func @first_row(
// CHECK: scf.for %arg1 = %c0 to %c200 step %c1 {
// CHECK-NOT: scf.for
func.func @first_row(%d: memref<200x200xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %last = arith.constant 199 : index
  scf.for %t = %c0 to %n step %c1 {
    %next = arith.addi %t, %c1 : index
    %rest = arith.subi %last, %t : index
    %row = memref.subview %d[0, %next] [1, %rest] [1, 1] : memref<200x200xf64> to memref<?xf64, strided<[1], offset: ?>>
    %column = memref.subview %d[%next, %t] [%rest, 1] [1, 1] : memref<200x200xf64> to memref<?xf64, strided<[200], offset: ?>>
    %part = memref.subview %d[%next, %next] [%rest, %rest] [1, 1] : memref<200x200xf64> to memref<?x?xf64, strided<[200, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%column, %row : memref<?xf64, strided<[200], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>) outs(%part : memref<?x?xf64, strided<[200, 1], offset: ?>>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %p = arith.mulf %x, %y : f64
      %r = arith.subf %old, %p : f64
      linalg.yield %r : f64
    }
  }
  return
}

// Every iteration stores the last element, which is an iteration's own in the last one only.
// CHECK-LABEL: func.func @last_column(
// CHECK: scf.for %arg1 = %c0 to %c200 step %c1 {
// CHECK-NOT: scf.for
func.func @last_column(%d: memref<200x200xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 200 : index
  %last = arith.constant 199 : index
  %factor = arith.constant 0.5 : f64
  scf.for %t = %c0 to %n step %c1 {
    %next = arith.addi %t, %c1 : index
    %rest = arith.subi %last, %t : index
    %row = memref.subview %d[%t, %next] [1, %rest] [1, 1] : memref<200x200xf64> to memref<?xf64, strided<[1], offset: ?>>
    %column = memref.subview %d[%next, %t] [%rest, 1] [1, 1] : memref<200x200xf64> to memref<?xf64, strided<[200], offset: ?>>
    %part = memref.subview %d[%next, %next] [%rest, %rest] [1, 1] : memref<200x200xf64> to memref<?x?xf64, strided<[200, 1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%column, %row : memref<?xf64, strided<[200], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>) outs(%part : memref<?x?xf64, strided<[200, 1], offset: ?>>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %p = arith.mulf %x, %y : f64
      %r = arith.subf %old, %p : f64
      linalg.yield %r : f64
    }
    memref.store %factor, %d[%last, %last] : memref<200x200xf64>
  }
  return
}
