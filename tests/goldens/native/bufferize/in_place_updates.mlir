// RUN: passes --order-updates %s | filecheck %s

// The second update reads the old %p, so it comes before the one that overwrites %p.
// CHECK-LABEL: func.func @ordered(
// CHECK: %[[INTO:.*]] = bufferization.materialize_in_destination %arg4 in %arg5 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INTO1:.*]] = bufferization.materialize_in_destination %{{.*}} in %arg4 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: scf.yield %[[INTO1]], %[[INTO]] : tensor<8xf32>, tensor<8xf32>
func.func @ordered(%a: tensor<8xf32>, %b: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 2.0 : f32
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %new = linalg.fill ins(%x : f32) outs(%q : tensor<8xf32>) -> tensor<8xf32>
    %u = bufferization.materialize_in_destination %new in %p : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %v = bufferization.materialize_in_destination %p in %q : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %u, %v : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// A swap has no such order: one of the two is copied.
// CHECK-LABEL: func.func @swap(
// CHECK: %[[ROOM:.*]] = bufferization.alloc_tensor() copy(%arg4) : tensor<8xf32>
// CHECK-NEXT: %[[INTO:.*]] = bufferization.materialize_in_destination %arg5 in %arg4 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[INTO1:.*]] = bufferization.materialize_in_destination %[[ROOM]] in %arg5 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: scf.yield %[[INTO]], %[[INTO1]] : tensor<8xf32>, tensor<8xf32>
func.func @swap(%a: tensor<8xf32>, %b: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %u = bufferization.materialize_in_destination %q in %p : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %v = bufferization.materialize_in_destination %p in %q : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %u, %v : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
