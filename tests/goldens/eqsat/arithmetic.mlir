// RUN: raise-opt --rulesets=arithmetic %s | filecheck %s

// The minimum with x cannot raise the maximum with x, unless y is no number: the rule is for `fast` alone.
// CHECK-LABEL: func.func @absorbed(
// CHECK: linalg.min
// CHECK: linalg.max
func.func @absorbed(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %m = linalg.min ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.max ins(%x, %m : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// A product of exponentials is the exponential of a sum.
// CHECK-LABEL: func.func @exponentials(
// CHECK: %[[SUM:.*]] = linalg.add ins(%arg0, %arg1 :
// CHECK: %[[EXP:.*]] = linalg.exp ins(%[[SUM]] :
// CHECK-NEXT: return %[[EXP]]
func.func @exponentials(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> attributes {raise.fp = "fast"} {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = linalg.exp ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.mul ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
