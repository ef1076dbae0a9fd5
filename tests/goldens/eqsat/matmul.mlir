// RUN: raise-opt %s | filecheck %s

// (A B) v: the product of two matrices is not computed, since A (B v) costs two products with a vector.
// CHECK-LABEL: func.func @associate(
// CHECK-SAME: %arg0: tensor<100x100xf32>, %arg1: tensor<100x100xf32>, %arg2: tensor<100x1xf32>) -> tensor<100x1xf32> attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[NEW:.*]] = tensor.empty() : tensor<100x1xf32>
// CHECK-NEXT: %[[FILLED:.*]] = linalg.fill ins(%[[C]] : f32) outs(%[[NEW]] : tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%arg1, %arg2 : tensor<100x100xf32>, tensor<100x1xf32>) outs(%[[FILLED]] : tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: %[[MATMUL1:.*]] = linalg.matmul ins(%arg0, %[[MATMUL]] : tensor<100x100xf32>, tensor<100x1xf32>) outs(%[[FILLED]] : tensor<100x1xf32>) -> tensor<100x1xf32>
// CHECK-NEXT: return %[[MATMUL1]] : tensor<100x1xf32>
func.func @associate(%a: tensor<100x100xf32>, %b: tensor<100x100xf32>, %v: tensor<100x1xf32>) -> tensor<100x1xf32> attributes {raise.fp = "reassoc"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<100x100xf32>) -> tensor<100x100xf32>
  %ab = linalg.matmul ins(%a, %b : tensor<100x100xf32>, tensor<100x100xf32>) outs(%z : tensor<100x100xf32>) -> tensor<100x100xf32>
  %e1 = tensor.empty() : tensor<100x1xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<100x1xf32>) -> tensor<100x1xf32>
  %r = linalg.matmul ins(%ab, %v : tensor<100x100xf32>, tensor<100x1xf32>) outs(%z1 : tensor<100x1xf32>) -> tensor<100x1xf32>
  return %r : tensor<100x1xf32>
}
