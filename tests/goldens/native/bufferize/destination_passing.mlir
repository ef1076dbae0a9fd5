// RUN: passes --to-destinations %s | filecheck %s

// A function on tensors becomes one on memory: a result that is a tensor goes to an array of
// the caller, behind the other arguments, and a number stays a result.
// CHECK-LABEL: func.func public @both.body(
// CHECK-SAME: %arg0: memref<8xf32> {llvm.noalias}, %arg1: f32, %arg2: memref<8xf32> {llvm.noalias}) -> f32
// CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %arg0 restrict : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[FILLED:.*]] = linalg.fill ins(%arg1 : f32) outs(%[[T]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: bufferization.materialize_in_destination %[[FILLED]] in restrict writable %arg2 : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK-NEXT: return %arg1 : f32
func.func @both(%a: tensor<8xf32>, %x: f32) -> (tensor<8xf32>, f32) {
  %r = linalg.fill ins(%x : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %r, %x : tensor<8xf32>, f32
}
