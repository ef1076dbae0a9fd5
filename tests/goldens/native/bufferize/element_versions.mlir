// RUN: passes --resolve-elements %s | filecheck %s

// An element that was stored just before is the stored number.
// CHECK-LABEL: func.func @same(
// CHECK: return %arg1, %{{.*}} : f32, tensor<8xf32>
func.func @same(%t: tensor<8xf32>, %x: f32, %i: index) -> (f32, tensor<8xf32>) {
  %u = tensor.insert %x into %t[%i] : tensor<8xf32>
  %y = tensor.extract %u[%i] : tensor<8xf32>
  return %y, %u : f32, tensor<8xf32>
}

// An element at another place is that of the version before.
// CHECK-LABEL: func.func @other(
// CHECK: %[[EXTRACT:.*]] = tensor.extract %arg0[%{{.*}}] : tensor<8xf32>
// CHECK: return %[[EXTRACT]], %{{.*}} : f32, tensor<8xf32>
func.func @other(%t: tensor<8xf32>, %x: f32, %i: index) -> (f32, tensor<8xf32>) {
  %one = arith.constant 1 : index
  %j = arith.addi %i, %one : index
  %u = tensor.insert %x into %t[%i] : tensor<8xf32>
  %y = tensor.extract %u[%j] : tensor<8xf32>
  return %y, %u : f32, tensor<8xf32>
}

// Where it is not known whether the places are the same, a selection says it.
// CHECK-LABEL: func.func @maybe(
// CHECK: %[[CMPI:.*]] = arith.cmpi eq, %arg2, %arg3 : index
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %arg0[%arg3] : tensor<8xf32>
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPI]], %arg1, %[[EXTRACT]] : f32
// CHECK: return %[[SELECT]], %{{.*}} : f32, tensor<8xf32>
func.func @maybe(%t: tensor<8xf32>, %x: f32, %i: index, %j: index) -> (f32, tensor<8xf32>) {
  %u = tensor.insert %x into %t[%i] : tensor<8xf32>
  %y = tensor.extract %u[%j] : tensor<8xf32>
  return %y, %u : f32, tensor<8xf32>
}

// A choice between two updates at one place is one update with the chosen number.
// CHECK-LABEL: func.func @chosen(
// CHECK: tensor.insert %arg1 into %arg0[%arg3] : tensor<8xf32>
// CHECK-NEXT: tensor.insert %arg2 into %arg0[%arg3] : tensor<8xf32>
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %arg4, %arg1, %arg2 : f32
// CHECK-NEXT: %[[INSERT2:.*]] = tensor.insert %[[SELECT]] into %arg0[%arg3] : tensor<8xf32>
// CHECK-NEXT: return %[[INSERT2]] : tensor<8xf32>
func.func @chosen(%t: tensor<8xf32>, %x: f32, %y: f32, %i: index, %c: i1) -> tensor<8xf32> {
  %u = tensor.insert %x into %t[%i] : tensor<8xf32>
  %v = tensor.insert %y into %t[%i] : tensor<8xf32>
  %r = arith.select %c, %u, %v : tensor<8xf32>
  return %r : tensor<8xf32>
}

// A slice that the update is not in reads the version before.
// CHECK-LABEL: func.func @outside(
// CHECK: tensor.extract_slice %arg0[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
func.func @outside(%t: tensor<8xf32>, %x: f32) -> (tensor<4xf32>, tensor<8xf32>) {
  %six = arith.constant 6 : index
  %u = tensor.insert %x into %t[%six] : tensor<8xf32>
  %part = tensor.extract_slice %u[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %part, %u : tensor<4xf32>, tensor<8xf32>
}

// One that it may be in, or that takes every second element, keeps its version.
// CHECK-LABEL: func.func @inside(
// CHECK: %[[INSERT:.*]] = tensor.insert %arg1 into %arg0[%arg2] : tensor<8xf32>
// CHECK-NEXT: %[[SLICE:.*]] = tensor.extract_slice %[[INSERT]][0] [4] [2] : tensor<8xf32> to tensor<4xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = tensor.extract_slice %[[INSERT]][1] [4] [1] : tensor<8xf32> to tensor<4xf32>
// CHECK-NEXT: return %[[SLICE1]], %[[SLICE]], %[[INSERT]] : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
func.func @inside(%t: tensor<8xf32>, %x: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %u = tensor.insert %x into %t[%i] : tensor<8xf32>
  %part = tensor.extract_slice %u[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %even = tensor.extract_slice %u[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
  return %part, %even, %u : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}
