// RUN: not passes --bufferize %s | filecheck %s

// A swap without a copy: the second write would read what the first has overwritten.
// CHECK: a tensor cannot be placed in memory
// CHECK-SAME: cannot avoid RaW conflict
func.func @swap(%a: memref<8xf32>, %b: memref<8xf32>) {
  %s = bufferization.to_tensor %a restrict writable : memref<8xf32> to tensor<8xf32>
  %t = bufferization.to_tensor %b restrict writable : memref<8xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %t in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %s in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
