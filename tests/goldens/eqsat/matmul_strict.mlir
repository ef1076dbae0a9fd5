// RUN: raise-opt --fp=strict %s | filecheck %s

// Sums may not be reassociated: the products stay in their order.
// CHECK: linalg.matmul ins(%a, %b : tensor<100x100xf32>, tensor<100x100xf32>)
// CHECK: linalg.matmul {{.*}} tensor<100x1xf32>
func.func @associate(%a: tensor<100x100xf32>, %b: tensor<100x100xf32>, %v: tensor<100x1xf32>) -> tensor<100x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<100x100xf32>) -> tensor<100x100xf32>
  %ab = linalg.matmul ins(%a, %b : tensor<100x100xf32>, tensor<100x100xf32>) outs(%z : tensor<100x100xf32>) -> tensor<100x100xf32>
  %e1 = tensor.empty() : tensor<100x1xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<100x1xf32>) -> tensor<100x1xf32>
  %r = linalg.matmul ins(%ab, %v : tensor<100x100xf32>, tensor<100x1xf32>) outs(%z1 : tensor<100x1xf32>) -> tensor<100x1xf32>
  return %r : tensor<100x1xf32>
}
