// RUN: passes --choices-apart %s | filecheck %s

// Two diagonals are stored by an operation each, the one that is stored first in front.
// CHECK-LABEL: func.func @two_diagonals(
// CHECK: linalg.generic
// CHECK: %[[ABOVE:.*]] = arith.select %{{.*}}, %[[Q:.*]], %[[OLD:.*]] : f32
// CHECK: linalg.yield %[[ABOVE]]
// CHECK: linalg.generic
// CHECK: ^bb0(%[[P:.*]]: f32, %{{.*}}: f32, %[[KEPT:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[ON:.*]] = arith.select %{{.*}}, %[[P]], %[[KEPT]] : f32
// CHECK: linalg.yield %[[ON]]
func.func @two_diagonals(%p: f32, %q: f32, %t: memref<9x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %q, %t : f32, f32, memref<9x9xf32>) outs(%t : memref<9x9xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %j, %i : index
    %above = arith.cmpi eq, %d, %c1 : index
    %first = arith.select %above, %y, %z : f32
    %on = arith.cmpi eq, %d, %c0 : index
    %second = arith.select %on, %x, %first : f32
    linalg.yield %second : f32
  }
  return
}

// Not where a value is what another one has stored, nor where a choice is about more than a line.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @kept(%p: f32, %t: memref<9x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %t : f32, memref<9x9xf32>) outs(%t : memref<9x9xf32>) {
  ^bb0(%x: f32, %z: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %j, %i : index
    %sum = arith.addf %x, %z : f32
    %above = arith.cmpi eq, %d, %c1 : index
    %first = arith.select %above, %x, %z : f32
    %on = arith.cmpi eq, %d, %c0 : index
    %second = arith.select %on, %sum, %first : f32
    linalg.yield %second : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p, %t : f32, memref<9x9xf32>) outs(%t : memref<9x9xf32>) {
  ^bb0(%x: f32, %z: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %j, %i : index
    %above = arith.cmpi sge, %d, %c1 : index
    %first = arith.select %above, %x, %z : f32
    %on = arith.cmpi eq, %d, %c0 : index
    %second = arith.select %on, %x, %first : f32
    linalg.yield %second : f32
  }
  return
}
