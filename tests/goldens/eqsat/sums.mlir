// RUN: raise-opt %s | filecheck %s

// The row sums of a product are a product with row sums: one product with a vector.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[FILLED:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[REDUCE:.*]] = linalg.reduce ins(%arg1 : tensor<64x64xf32>) outs(%[[FILLED]] : tensor<64xf32>) dimensions = [1]
// CHECK: linalg.yield %{{.*}} : f32
// CHECK: %[[FILLED1:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[MATVEC:.*]] = linalg.matvec ins(%arg0, %[[REDUCE]] : tensor<64x64xf32>, tensor<64xf32>) outs(%[[FILLED1]] : tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: return %[[MATVEC]] : tensor<64xf32>
func.func @rows(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64xf32> attributes {raise.fp = "reassoc"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %ab = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce ins(%ab : tensor<64x64xf32>) outs(%z1 : tensor<64xf32>) dimensions = [1] (%x: f32, %s: f32) {
    %t = arith.addf %x, %s : f32
    linalg.yield %t : f32
  }
  return %r : tensor<64xf32>
}
