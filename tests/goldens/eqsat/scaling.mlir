// RUN: raise-opt %s | filecheck %s

// A matrix is scaled and then multiplied with a vector: the vector that results is scaled instead.
// CHECK-LABEL: func.func @scaled(
// CHECK: %[[FILLED:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[MATVEC:.*]] = linalg.matvec ins(%arg1, %arg2 : tensor<64x64xf32>, tensor<64xf32>) outs(%[[FILLED]] : tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[MUL:.*]] = linalg.mul ins(%arg0, %[[MATVEC]] : f32, tensor<64xf32>) outs(%{{.*}} : tensor<64xf32>) -> tensor<64xf32>
// CHECK-NEXT: return %[[MUL]] : tensor<64xf32>
func.func @scaled(%s: f32, %a: tensor<64x64xf32>, %v: tensor<64xf32>) -> tensor<64xf32> attributes {raise.fp = "reassoc"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %sa = linalg.mul ins(%s, %a : f32, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.matvec ins(%sa, %v : tensor<64x64xf32>, tensor<64xf32>) outs(%z1 : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
