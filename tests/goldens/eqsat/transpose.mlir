// RUN: raise-opt %s | filecheck %s

// Two transpositions are none.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %arg0: tensor<64x32xf32>) -> tensor<64x32xf32>
// CHECK-NEXT: return %arg0 : tensor<64x32xf32>
func.func @twice(%a: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %t = linalg.transpose ins(%a : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<64x32xf32>
  %r = linalg.transpose ins(%t : tensor<32x64xf32>) outs(%f : tensor<64x32xf32>) permutation = [1, 0]
  return %r : tensor<64x32xf32>
}
