// RUN: passes --block-intervals --mlir=canonicalize,cse %s | filecheck %s
// RUN: passes --block-intervals %s | filecheck %s --check-prefix=PLAIN
// PLAIN: memref.alloc() {{.*}}memref<256x96xi32>

// Blocks of both ends of the intervals: the terms beyond the ends of a block are a product of 96 x 96, whose rows are
// copied. A row adds the terms in its block before its iterations, and each of these adds its own element to the later
// ones.
// CHECK-LABEL: func.func @counts(
// CHECK: %[[ROWS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256x96xi32>
// CHECK: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<96x96xi32>
// CHECK: scf.for %[[A:.*]] = %c0 to %c300 step %c96 {
// CHECK: scf.for %[[B:.*]] = %{{.*}} to %c300 step %c96 {
// CHECK: linalg.generic {{.*}} outs(%[[SUMS]] : memref<96x96xi32>)
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c256 {
// CHECK: %[[COPY:.*]] = memref.subview %[[ROWS]]
// CHECK: linalg.generic {{.*}} outs(%[[COPY]] :
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %[[COPY]] :
// CHECK: scf.for %[[I:.*]] = %[[A]] to
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %c1 {
// CHECK: arith.addi
// CHECK: memref.store %{{.*}}, %arg0[
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
func.func @counts(%t: memref<300x300xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c299 = arith.constant 299 : index
  %c300 = arith.constant 300 : index
  scf.for %a = %c0 to %c300 step %c1 {
    %i = arith.subi %c299, %a : index
    %first = arith.subi %c300, %a : index
    scf.for %j = %first to %c300 step %c1 {
      %some = arith.subi %j, %first : index
      %size = arith.maxsi %some, %c0 : index
      %old = memref.load %t[%i, %j] : memref<300x300xi32>
      %s = memref.alloc() : memref<i32>
      memref.store %old, %s[] : memref<i32>
      %p = memref.subview %t[%i, %first] [1, %size] [1, 1] : memref<300x300xi32> to memref<?xi32, strided<[1], offset: ?>>
      %q = memref.subview %t[%first, %j] [%size, 1] [1, 1] : memref<300x300xi32> to memref<?xi32, strided<[300], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%p, %q : memref<?xi32, strided<[1], offset: ?>>, memref<?xi32, strided<[300], offset: ?>>) outs(%s : memref<i32>) {
      ^bb0(%x: i32, %y: i32, %o: i32):
        %m = arith.muli %x, %y : i32
        %r = arith.addi %o, %m : i32
        linalg.yield %r : i32
      }
      %sum = memref.load %s[] : memref<i32>
      memref.store %sum, %t[%i, %j] : memref<300x300xi32>
    }
  }
  return
}

// Every iteration reads the element behind its own in the row below, which blocks would compute later.
// CHECK-LABEL: func.func @behind(
// CHECK-NOT: step %c96
func.func @behind(%t: memref<301x301xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c299 = arith.constant 299 : index
  %c300 = arith.constant 300 : index
  scf.for %a = %c0 to %c300 step %c1 {
    %i = arith.subi %c299, %a : index
    %first = arith.subi %c300, %a : index
    scf.for %j = %first to %c300 step %c1 {
      %some = arith.subi %j, %first : index
      %size = arith.maxsi %some, %c0 : index
      %next = arith.addi %j, %c1 : index
      %old = memref.load %t[%first, %next] : memref<301x301xi32>
      %s = memref.alloc() : memref<i32>
      memref.store %old, %s[] : memref<i32>
      %p = memref.subview %t[%i, %first] [1, %size] [1, 1] : memref<301x301xi32> to memref<?xi32, strided<[1], offset: ?>>
      %q = memref.subview %t[%first, %j] [%size, 1] [1, 1] : memref<301x301xi32> to memref<?xi32, strided<[301], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%p, %q : memref<?xi32, strided<[1], offset: ?>>, memref<?xi32, strided<[301], offset: ?>>) outs(%s : memref<i32>) {
      ^bb0(%x: i32, %y: i32, %o: i32):
        %m = arith.muli %x, %y : i32
        %r = arith.addi %o, %m : i32
        linalg.yield %r : i32
      }
      %sum = memref.load %s[] : memref<i32>
      memref.store %sum, %t[%i, %j] : memref<301x301xi32>
    }
  }
  return
}
