// RUN: passes --decompose %s | filecheck %s

// Softmax becomes its maximum, differences, exponentials, sum and quotient, each with loops of its own.
// CHECK-LABEL: func.func @softmax(
// CHECK-NOT: linalg.softmax
// CHECK: linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>) {
// CHECK: %[[MAXNUMF:.*]] = arith.maxnumf %in, %out : f32
// CHECK: %[[SUBF:.*]] = arith.subf %in, %in_1 : f32
// CHECK-NEXT: math.exp %[[SUBF]] : f32
// CHECK: linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>) {
// CHECK: %[[ADDF:.*]] = arith.addf %in, %out : f32
// CHECK: arith.divf %in, %in_1 : f32
func.func @softmax(%a: tensor<4x8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<4x8xf32>) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// An operation that has loops stays as it is.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: linalg.matmul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x4xf32>) outs(%arg2 : tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %out: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%out : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
