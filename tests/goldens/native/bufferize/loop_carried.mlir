// RUN: passes --write-carried-in-place %s | filecheck %s --check-prefix=CARRIED
// RUN: passes --duplicate-shared-empties %s | filecheck %s --check-prefix=EMPTY
// RUN: passes --duplicate-shared-fills %s | filecheck %s --check-prefix=FILLS
// RUN: passes --tie-results %s | filecheck %s --check-prefix=TIED

// The tensor that an iteration computes is written to where the old one is.
// CARRIED-LABEL: func.func @new_each_time(
// CARRIED: %[[FILLED:.*]] = linalg.fill ins(%arg1 : f32) outs(%{{.*}} : tensor<8xf32>) -> tensor<8xf32>
// CARRIED-NEXT: %[[INTO:.*]] = bufferization.materialize_in_destination %[[FILLED]] in %arg4 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CARRIED-NEXT: scf.yield %[[INTO]] : tensor<8xf32>
func.func @new_each_time(%a: tensor<8xf32>, %x: f32, %n: index) -> tensor<8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> tensor<8xf32> {
    %new = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%x : f32) outs(%new : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %f : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// One that is the old one changed is there already.
// CARRIED-LABEL: func.func @changed(
// CARRIED: %[[INSERT:.*]] = tensor.insert %arg1 into %arg4[%arg3] : tensor<8xf32>
// CARRIED-NEXT: scf.yield %[[INSERT]] : tensor<8xf32>
func.func @changed(%a: tensor<8xf32>, %x: f32, %n: index) -> tensor<8xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> tensor<8xf32> {
    %f = tensor.insert %x into %p[%i] : tensor<8xf32>
    scf.yield %f : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// What the loop begins with is read afterwards: the loop changes a copy.
// CARRIED-LABEL: func.func @read_later(
// CARRIED: %[[ROOM:.*]] = bufferization.alloc_tensor() copy(%arg0) : tensor<8xf32>
// CARRIED-NEXT: %[[FOR:.*]] = scf.for %arg3 = %{{.*}} to %arg2 step %{{.*}} iter_args(%arg4 = %[[ROOM]]) -> (tensor<8xf32>) {
// CARRIED: return %[[FOR]], %arg0 : tensor<8xf32>, tensor<8xf32>
func.func @read_later(%a: tensor<8xf32>, %x: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> tensor<8xf32> {
    %f = tensor.insert %x into %p[%i] : tensor<8xf32>
    scf.yield %f : tensor<8xf32>
  }
  return %r, %a : tensor<8xf32>, tensor<8xf32>
}

// Two tensors of a loop that begin without contents get memory of their own each.
// EMPTY-LABEL: func.func @two_empty(
// EMPTY: %[[ROOM:.*]] = bufferization.alloc_tensor() : tensor<8xf32>
// EMPTY-NEXT: %[[ROOM1:.*]] = bufferization.alloc_tensor() : tensor<8xf32>
// EMPTY-NEXT: scf.for %arg2 = %{{.*}} to %arg1 step %{{.*}} iter_args(%arg3 = %[[ROOM1]], %arg4 = %[[ROOM]]) -> (tensor<8xf32>, tensor<8xf32>) {
func.func @two_empty(%x: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %new = tensor.empty() : tensor<8xf32>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %new, %q = %new) -> (tensor<8xf32>, tensor<8xf32>) {
    %f = tensor.insert %x into %p[%i] : tensor<8xf32>
    %g = tensor.insert %x into %q[%i] : tensor<8xf32>
    scf.yield %f, %g : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// Two arrays are exchanged: both results go through the tensors of their arrays before either array is written.
// TIED-LABEL: func.func @exchange(
// TIED-DAG: %[[T:.*]] = bufferization.to_tensor %arg0 restrict : memref<8xf32> to tensor<8xf32>
// TIED-DAG: %[[T1:.*]] = bufferization.to_tensor %arg1 restrict : memref<8xf32> to tensor<8xf32>
// TIED: %[[INTO:.*]] = bufferization.materialize_in_destination %[[T1]] in %[[T]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// TIED-NEXT: %[[INTO1:.*]] = bufferization.materialize_in_destination %[[T]] in %[[T1]] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// TIED-NEXT: bufferization.materialize_in_destination %[[INTO]] in restrict writable %arg0 : (tensor<8xf32>, memref<8xf32>) -> ()
// TIED-NEXT: bufferization.materialize_in_destination %[[INTO1]] in restrict writable %arg1 : (tensor<8xf32>, memref<8xf32>) -> ()
func.func @exchange(%a: memref<8xf32>, %b: memref<8xf32>) {
  %s = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
  %t = bufferization.to_tensor %b restrict : memref<8xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %t in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %s in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// Two sums that start from one tensor of zeros: each gets zeros of its own, where it begins.
// FILLS-LABEL: func.func @two_sums(
// FILLS: %[[ONE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// FILLS: linalg.generic {{.*}} ins(%arg0 : tensor<9x8xf32>) outs(%[[ONE]] : tensor<8xf32>)
// FILLS: %[[TWO:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// FILLS: linalg.generic {{.*}} ins(%arg1 : tensor<9x8xf32>) outs(%[[TWO]] : tensor<8xf32>)
#whole = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
func.func @two_sums(%a: tensor<9x8xf32>, %b: tensor<9x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %new = tensor.empty() : tensor<8xf32>
  %f = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]} outs(%new : tensor<8xf32>) {
  ^bb0(%o: f32):
    linalg.yield %zero : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#whole, #column], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<9x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#whole, #column], iterator_types = ["reduction", "parallel"]} ins(%b : tensor<9x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %p, %q : tensor<8xf32>, tensor<8xf32>
}
