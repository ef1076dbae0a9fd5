// RUN: raise-opt %s | filecheck %s

// A B + A C is one product with a sum.
// CHECK-LABEL: func.func @factor(
// CHECK: %[[ADD:.*]] = linalg.add ins(%arg1, %arg2 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%{{.*}} : tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: %[[FILLED:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK-NEXT: %[[MATMUL:.*]] = linalg.matmul ins(%arg0, %[[ADD]] : tensor<64x64xf32>, tensor<64x64xf32>) outs(%[[FILLED]] : tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK-NEXT: return %[[MATMUL]] : tensor<64x64xf32>
func.func @factor(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {raise.fp = "reassoc"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %ab = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %ac = linalg.matmul ins(%a, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.add ins(%ab, %ac : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
