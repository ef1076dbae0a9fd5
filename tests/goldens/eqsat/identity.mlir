// RUN: raise-opt %s | filecheck %s

// A product with one is its other factor, also in strict arithmetic; a sum with 0.0 is not, since -0.0 + 0.0 is 0.0.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: %arg0: tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: return %arg0 : tensor<64xf32>
func.func @one(%a: tensor<64xf32>) -> tensor<64xf32> {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.mul ins(%a, %one : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: func.func @zero(
// CHECK: %[[ADD:.*]] = linalg.add ins(%arg0, %{{.*}} : tensor<64xf32>, tensor<64xf32>) outs(%{{.*}} : tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: return %[[ADD]] : tensor<64xf32>
func.func @zero(%a: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.add ins(%a, %zero : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
