// RUN: raise-opt --fp=reassoc %s | filecheck %s

// Extents that are known at run time only are numbers while rules look at the function, and open again in the result.
// CHECK-LABEL: func.func @applied(
// CHECK: %[[Y:.*]] = linalg.matvec ins(%arg1, %arg2 : tensor<?x?xf64>, tensor<?xf64>)
// CHECK: %[[R:.*]] = linalg.matvec ins(%arg0, %[[Y]] : tensor<?x?xf64>, tensor<?xf64>)
// CHECK-NEXT: return %[[R]] : tensor<?xf64>
func.func @applied(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf64>
  %m = tensor.dim %b, %c1 : tensor<?x?xf64>
  %e0 = tensor.empty(%n, %m) : tensor<?x?xf64>
  %z0 = linalg.fill ins(%zero : f64) outs(%e0 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %ab = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%z0 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %e1 = tensor.empty(%n) : tensor<?xf64>
  %z1 = linalg.fill ins(%zero : f64) outs(%e1 : tensor<?xf64>) -> tensor<?xf64>
  %r = linalg.matvec ins(%ab, %x : tensor<?x?xf64>, tensor<?xf64>) outs(%z1 : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
