// RUN: passes --forward %s | filecheck %s

// Memory of the function's own that one tensor is written to, and read from after that, is that tensor.
// CHECK-LABEL: func.func @own(
// CHECK-NEXT: %[[S:.*]] = arith.negf %arg0
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[S]], %[[S]]
// CHECK-NEXT: return %[[R]]
func.func @own(%t: tensor<8xf64>) -> tensor<8xf64> {
  %m = memref.alloc() : memref<8xf64>
  %s = arith.negf %t : tensor<8xf64>
  bufferization.materialize_in_destination %s in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
  %u = bufferization.to_tensor %m restrict : memref<8xf64> to tensor<8xf64>
  %r = arith.addf %u, %u : tensor<8xf64>
  memref.dealloc %m : memref<8xf64>
  return %r : tensor<8xf64>
}

// Not so if anything else is stored there.
// CHECK-LABEL: func.func @stored(
// CHECK: bufferization.materialize_in_destination
// CHECK-NEXT: memref.store
// CHECK-NEXT: bufferization.to_tensor
func.func @stored(%t: tensor<8xf64>, %x: f64, %i: index) -> tensor<8xf64> {
  %m = memref.alloc() : memref<8xf64>
  %s = arith.negf %t : tensor<8xf64>
  bufferization.materialize_in_destination %s in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
  memref.store %x, %m[%i] : memref<8xf64>
  %u = bufferization.to_tensor %m restrict : memref<8xf64> to tensor<8xf64>
  memref.dealloc %m : memref<8xf64>
  return %u : tensor<8xf64>
}
