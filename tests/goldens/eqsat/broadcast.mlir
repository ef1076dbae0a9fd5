// RUN: raise-opt --rulesets=broadcast %s | filecheck %s

// The exponential of what is repeated 64 times is computed once, and then repeated.
// CHECK-LABEL: func.func @repeated(
// CHECK: %[[EXP:.*]] = linalg.exp ins(%arg0 : tensor<64xf32>)
// CHECK: linalg.broadcast ins(%[[EXP]] : tensor<64xf32>) outs(%{{.*}} : tensor<64x64xf32>) dimensions = [0]
func.func @repeated(%s: tensor<64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %b = linalg.broadcast ins(%s : tensor<64xf32>) outs(%e : tensor<64x64xf32>) dimensions = [0]
  %r = linalg.exp ins(%b : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
