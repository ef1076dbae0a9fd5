// RUN: raise-opt --rulesets=associativity %s | filecheck %s

// (a + b) + c is a + (b + c), of which the sum in brackets is there already.
// CHECK-LABEL: func.func @shared(
// CHECK: %[[BC:.*]] = linalg.add ins(%arg1, %arg2 :
// CHECK: %[[ABC:.*]] = linalg.add ins(%arg0, %[[BC]] :
// CHECK-NOT: linalg.add
// CHECK: return %[[BC]], %[[ABC]]
func.func @shared(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) attributes {raise.fp = "reassoc"} {
  %e = tensor.empty() : tensor<64xf32>
  %bc = linalg.add ins(%b, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %ab = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %abc = linalg.add ins(%ab, %c : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %bc, %abc : tensor<64xf32>, tensor<64xf32>
}
