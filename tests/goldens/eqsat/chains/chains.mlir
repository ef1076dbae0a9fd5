// RUN: raise-opt --macros --cost=flops %s | filecheck %s

// A chain of products is associated as the dynamic program says: (A (B C)) D is (A B) (C D) at these extents.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[AB:.*]] = linalg.matmul ins(%arg0, %arg1 : tensor<2x30xf64>, tensor<30x3xf64>)
// CHECK: %[[CD:.*]] = linalg.matmul ins(%arg2, %arg3 : tensor<3x40xf64>, tensor<40x2xf64>)
// CHECK: %[[R:.*]] = linalg.matmul ins(%[[AB]], %[[CD]] : tensor<2x3xf64>, tensor<3x2xf64>)
// CHECK-NEXT: return %[[R]]
func.func @chain(%a: tensor<2x30xf64>, %b: tensor<30x3xf64>, %c: tensor<3x40xf64>, %d: tensor<40x2xf64>) -> tensor<2x2xf64> {
  %zero = arith.constant 0.0 : f64
  %e0 = tensor.empty() : tensor<30x40xf64>
  %z0 = linalg.fill ins(%zero : f64) outs(%e0 : tensor<30x40xf64>) -> tensor<30x40xf64>
  %bc = linalg.matmul ins(%b, %c : tensor<30x3xf64>, tensor<3x40xf64>) outs(%z0 : tensor<30x40xf64>) -> tensor<30x40xf64>
  %e1 = tensor.empty() : tensor<2x40xf64>
  %z1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<2x40xf64>) -> tensor<2x40xf64>
  %abc = linalg.matmul ins(%a, %bc : tensor<2x30xf64>, tensor<30x40xf64>) outs(%z1 : tensor<2x40xf64>) -> tensor<2x40xf64>
  %e2 = tensor.empty() : tensor<2x2xf64>
  %z2 = linalg.fill ins(%zero : f64) outs(%e2 : tensor<2x2xf64>) -> tensor<2x2xf64>
  %r = linalg.matmul ins(%abc, %d : tensor<2x40xf64>, tensor<40x2xf64>) outs(%z2 : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}
