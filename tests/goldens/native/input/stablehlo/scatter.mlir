// RUN: passes %s | filecheck %s

// Updates go to places that are data: a loop adds them one after the other, and skips those outside of the tensor.
// CHECK-LABEL: func.func @scatter(
// CHECK: scf.for %arg3 = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%arg4 = %arg0) -> (tensor<8xf32>) {
// CHECK-NEXT: tensor.extract %arg1[%arg3, %{{.*}}] : tensor<3x1xi32>
// CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : index
// CHECK-NEXT: arith.cmpi sle, %{{.*}}, %{{.*}} : index
// CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (tensor<8xf32>) {
// CHECK-NEXT: tensor.extract %arg4[%{{.*}}] : tensor<8xf32>
// CHECK-NEXT: tensor.extract %arg2[%arg3] : tensor<3xf32>
// CHECK: arith.addf %in, %in_4 : f32
// CHECK: %[[EXTRACT3:.*]] = tensor.extract %{{.*}}[] : tensor<f32>
// CHECK-NEXT: %[[INSERT:.*]] = tensor.insert %[[EXTRACT3]] into %arg4[%{{.*}}] : tensor<8xf32>
// CHECK-NEXT: scf.yield %[[INSERT]] : tensor<8xf32>
// CHECK: scf.yield %arg4 : tensor<8xf32>
// CHECK: scf.yield %[[IF]] : tensor<8xf32>
func.func @scatter(%a: tensor<8xf32>, %at: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<8xf32> {
  %r = "stablehlo.scatter"(%a, %at, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
