// RUN: passes %s | filecheck %s

// Sorting has no form in linalg: it becomes a merge sort, in loops over runs of twice as many elements each time.
// CHECK-LABEL: func.func @sort(
// CHECK: scf.for %arg1 = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%arg2 = %arg0, %arg3 = %{{.*}}) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK: %[[FOR1:.*]] = scf.for %arg4 = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%arg5 = %arg3) -> (tensor<8xf32>) {
// CHECK: %[[FOR2:.*]]:3 = scf.for %arg6 = %arg4 to %{{.*}} step %{{.*}} iter_args(%arg7 = %arg4, %arg8 = %{{.*}}, %arg9 = %arg5) -> (index, index, tensor<8xf32>) {
// CHECK: arith.cmpi slt, %arg8, %{{.*}} : index
// CHECK-NEXT: arith.cmpi sge, %arg7, %{{.*}} : index
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : index, index, tensor<8xf32>
// CHECK: scf.yield %[[FOR2]]#2 : tensor<8xf32>
// CHECK: %[[FOR3:.*]] = scf.for %arg4 = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%arg5 = %arg2) -> (tensor<8xf32>) {
// CHECK: scf.yield %{{.*}} : tensor<8xf32>
// CHECK: scf.yield %[[FOR3]], %[[FOR1]] : tensor<8xf32>, tensor<8xf32>
func.func @sort(%a: tensor<8xf32>) -> tensor<8xf32> {
  %r = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
