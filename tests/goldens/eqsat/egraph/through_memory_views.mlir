// RUN: passes --share-views %s | filecheck %s

// Memory is read as a tensor once where nothing may write to it in between.
// CHECK-LABEL: func.func @same(
// CHECK: %[[A:.*]] = bufferization.to_tensor
// CHECK-NEXT: %[[X:.*]] = arith.negf %[[A]]
// CHECK-NEXT: arith.addf %[[A]], %[[X]]
func.func @same(%m: memref<8xf64>, %own: index) -> (tensor<8xf64>, tensor<8xf64>) {
  %a = bufferization.to_tensor %m restrict : memref<8xf64> to tensor<8xf64>
  %x = arith.negf %a : tensor<8xf64>
  %b = bufferization.to_tensor %m restrict : memref<8xf64> to tensor<8xf64>
  %y = arith.addf %b, %x : tensor<8xf64>
  return %x, %y : tensor<8xf64>, tensor<8xf64>
}

// A store in between, also into other memory that may be the same, makes another tensor of it.
// CHECK-LABEL: func.func @stored(
// CHECK: %[[A:.*]] = bufferization.to_tensor
// CHECK: %[[B:.*]] = bufferization.to_tensor
// CHECK-NEXT: arith.addf %[[A]], %[[B]]
func.func @stored(%m: memref<8xf64>, %n: memref<8xf64>, %x: f64, %i: index) -> tensor<8xf64> {
  %a = bufferization.to_tensor %m restrict : memref<8xf64> to tensor<8xf64>
  memref.store %x, %n[%i] : memref<8xf64>
  %b = bufferization.to_tensor %m restrict : memref<8xf64> to tensor<8xf64>
  %y = arith.addf %a, %b : tensor<8xf64>
  return %y : tensor<8xf64>
}
