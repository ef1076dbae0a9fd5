// RUN: raise %s | filecheck %s

// Loops become operations on the tensors of their arrays; the result goes back to its array last.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %arg0: memref<8x9xf32>, %arg1: memref<8x9xf32>, %arg2: f32) attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %arg0 restrict : memref<8x9xf32> to tensor<8x9xf32>
// CHECK-NEXT: %[[NEW:.*]] = tensor.empty() : tensor<8x9xf32>
// CHECK-NEXT: %[[MUL:.*]] = linalg.mul ins(%[[T]], %arg2 : tensor<8x9xf32>, f32) outs(%[[NEW]] : tensor<8x9xf32>) -> tensor<8x9xf32>
// CHECK-NEXT: bufferization.materialize_in_destination %[[MUL]] in restrict writable %arg1 : (tensor<8x9xf32>, memref<8x9xf32>) -> ()
// CHECK-NEXT: return
func.func @scale(%a: memref<8x9xf32>, %b: memref<8x9xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 9 {
      %y = affine.load %a[%i, %j] : memref<8x9xf32>
      %z = arith.mulf %y, %x : f32
      affine.store %z, %b[%i, %j] : memref<8x9xf32>
    }
  }
  return
}

// A value that is the bare tensor of an array which is written before it is copied first: a swap.
// CHECK-LABEL: func.func @swap(
// CHECK-SAME: %arg0: memref<8xf32>, %arg1: memref<8xf32>) attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %arg1 restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[T1:.*]] = bufferization.to_tensor %arg0 restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[ROOM:.*]] = bufferization.alloc_tensor() copy(%[[T]]) : tensor<8xf32>
// CHECK-NEXT: %[[ROOM1:.*]] = bufferization.alloc_tensor() copy(%[[T1]]) : tensor<8xf32>
// CHECK-NEXT: bufferization.materialize_in_destination %[[ROOM]] in restrict writable %arg0 : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK-NEXT: bufferization.materialize_in_destination %[[ROOM1]] in restrict writable %arg1 : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK-NEXT: return
func.func @swap(%a: memref<8xf32>, %b: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    %y = affine.load %b[%i] : memref<8xf32>
    affine.store %y, %a[%i] : memref<8xf32>
    affine.store %x, %b[%i] : memref<8xf32>
  }
  return
}
