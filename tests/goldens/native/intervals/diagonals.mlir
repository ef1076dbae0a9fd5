// RUN: passes --only-diagonals %s | filecheck %s

// Only the diagonal of the sums is stored: only it is computed.
// CHECK: #[[DIAGONAL:.*]] = affine_map<(d0) -> (d0, d0)>
// CHECK-LABEL: func.func @stored_on_the_diagonal(
// CHECK: linalg.generic {indexing_maps = [#[[DIAGONAL]], #[[DIAGONAL]]], iterator_types = ["parallel"]}
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: linalg.index 1
// CHECK-NEXT: linalg.index 0
// CHECK: linalg.generic {indexing_maps = [#[[DIAGONAL]], #[[DIAGONAL]], #[[DIAGONAL]]], iterator_types = ["parallel"]}
func.func @stored_on_the_diagonal(%a: memref<9x7xi32>, %b: memref<7x9xi32>, %t: memref<9x9xi32>) {
  %c0 = arith.constant 0 : i32
  %s = memref.alloc() : memref<9x9xi32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t : memref<9x9xi32>) outs(%s : memref<9x9xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k)>, affine_map<(i, k, j) -> (k, j)>, affine_map<(i, k, j) -> (i, j)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%a, %b : memref<9x7xi32>, memref<7x9xi32>) outs(%s : memref<9x9xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %k = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sle, %k, %j : index
    %z = arith.select %c, %x, %c0 : i32
    %m = arith.muli %z, %y : i32
    %r = arith.addi %m, %o : i32
    linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %t : memref<9x9xi32>, memref<9x9xi32>) outs(%t : memref<9x9xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi eq, %i, %j : index
    %r = arith.select %c, %x, %y : i32
    linalg.yield %r : i32
  }
  return
}

// What is below the diagonal is stored, too.
// CHECK-LABEL: func.func @stored_below_the_diagonal(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
func.func @stored_below_the_diagonal(%a: memref<9x9xi32>, %t: memref<9x9xi32>) {
  %s = memref.alloc() : memref<9x9xi32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<9x9xi32>) outs(%s : memref<9x9xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<9x9xi32>) outs(%t : memref<9x9xi32>) {
  ^bb0(%x: i32, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %r = arith.select %c, %x, %o : i32
    linalg.yield %r : i32
  }
  return
}

// All of the square is needed by somebody else.
// CHECK-LABEL: func.func @needed_elsewhere(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: memref.copy
func.func @needed_elsewhere(%a: memref<9x9xi32>, %t: memref<9x9xi32>) {
  %s = memref.alloc() : memref<9x9xi32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<9x9xi32>) outs(%s : memref<9x9xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : memref<9x9xi32>) outs(%t : memref<9x9xi32>) {
  ^bb0(%x: i32, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi eq, %i, %j : index
    %r = arith.select %c, %x, %o : i32
    linalg.yield %r : i32
  }
  memref.copy %s, %a : memref<9x9xi32> to memref<9x9xi32>
  return
}
