// RUN: passes --build-on-old %s | filecheck %s

// The rows that are computed from themselves are put into the old tensor, and then the first row.
// CHECK-LABEL: func.func @first_row(
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %arg0)
// CHECK: %[[REST:.*]] = linalg.generic
// CHECK: %[[ONE:.*]] = tensor.insert_slice %[[REST]] into %[[OLD]][1, 0] [7, 8] [1, 1]
// CHECK-NEXT: %[[NEW:.*]] = tensor.insert_slice %arg1 into %[[ONE]][0, 0] [1, 8] [1, 1]
// CHECK-NEXT: scf.yield %[[NEW]]
func.func @first_row(%t: tensor<8x8xf32>, %row: tensor<8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%old = %t) -> (tensor<8x8xf32>) {
    %empty = tensor.empty() : tensor<8x8xf32>
    %one = tensor.insert_slice %row into %empty[0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<8x8xf32>
    %mine = tensor.extract_slice %old[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
    %e = tensor.empty() : tensor<7x8xf32>
    %rest = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%mine : tensor<7x8xf32>) outs(%e : tensor<7x8xf32>) {
    ^bb0(%x: f32, %o: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %s : f32
    } -> tensor<7x8xf32>
    %all = tensor.insert_slice %rest into %one[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
    %new = bufferization.materialize_in_destination %all in %old : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %new : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// The last rows are computed from those before them, which are replaced, too.
// CHECK-LABEL: func.func @rows_before(
// CHECK: tensor.insert_slice %arg1 into %{{.*}}[0, 0] [1, 8] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [7, 8] [1, 1]
// CHECK-NEXT: bufferization.materialize_in_destination
func.func @rows_before(%t: tensor<8x8xf32>, %row: tensor<8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%old = %t) -> (tensor<8x8xf32>) {
    %empty = tensor.empty() : tensor<8x8xf32>
    %one = tensor.insert_slice %row into %empty[0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<8x8xf32>
    %mine = tensor.extract_slice %old[0, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
    %all = tensor.insert_slice %mine into %one[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
    %new = bufferization.materialize_in_destination %all in %old : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %new : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// Rows that two parts have are those of the later one.
// CHECK-LABEL: func.func @two_parts_meet(
// CHECK: tensor.insert_slice %arg1 into %{{.*}}[0, 0] [2, 8] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [7, 8] [1, 1]
// CHECK-NEXT: bufferization.materialize_in_destination
func.func @two_parts_meet(%t: tensor<8x8xf32>, %rows: tensor<2x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%old = %t) -> (tensor<8x8xf32>) {
    %empty = tensor.empty() : tensor<8x8xf32>
    %one = tensor.insert_slice %rows into %empty[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
    %mine = tensor.extract_slice %old[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
    %all = tensor.insert_slice %mine into %one[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
    %new = bufferization.materialize_in_destination %all in %old : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %new : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
