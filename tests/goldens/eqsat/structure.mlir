// RUN: raise-opt --fp=fast %s | filecheck %s

// A product with a diagonal matrix scales rows. What infinities would give beside zeros is given up, so under `fast`.
// CHECK-LABEL: func.func @diagonal(
// CHECK-NOT: linalg.matmul
// CHECK: linalg.elementwise kind=#linalg.elementwise_kind<mul> {{.*}} ins(%arg1, %arg0 : tensor<8xf64>, tensor<8x6xf64>)
// CHECK-NOT: linalg.matmul
func.func @diagonal(%A: tensor<8x6xf64>, %v: tensor<8xf64>) -> tensor<8x6xf64> {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x8xf64>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<8xf64>) outs(%e : tensor<8x8xf64>) {
  ^bb0(%x: f64, %o: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %q = arith.cmpi eq, %i, %j : index
    %r = arith.select %q, %x, %z : f64
    linalg.yield %r : f64
  } -> tensor<8x8xf64>
  %p = tensor.empty() : tensor<8x6xf64>
  %s = linalg.fill ins(%z : f64) outs(%p : tensor<8x6xf64>) -> tensor<8x6xf64>
  %y = linalg.matmul ins(%d, %A : tensor<8x8xf64>, tensor<8x6xf64>) outs(%s : tensor<8x6xf64>) -> tensor<8x6xf64>
  return %y : tensor<8x6xf64>
}
