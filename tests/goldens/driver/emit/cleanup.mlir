// RUN: raise %s | filecheck %s

// An array of the function that only passed values between loops is gone, with its allocation.
// CHECK-LABEL: func.func @local(
// CHECK-SAME: %arg0: memref<8xf32>, %arg1: f32) attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %arg0 restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[NEW:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[ADD:.*]] = linalg.add ins(%[[T]], %arg1 : tensor<8xf32>, f32) outs(%[[NEW]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: %[[MUL:.*]] = linalg.mul ins(%[[ADD]], %arg1 : tensor<8xf32>, f32) outs(%[[NEW]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: bufferization.materialize_in_destination %[[MUL]] in restrict writable %arg0 : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK-NEXT: return
func.func @local(%a: memref<8xf32>, %x: f32) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %y = affine.load %a[%i] : memref<8xf32>
    %z = arith.addf %y, %x : f32
    affine.store %z, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %y = affine.load %t[%i] : memref<8xf32>
    %z = arith.mulf %y, %x : f32
    affine.store %z, %a[%i] : memref<8xf32>
  }
  memref.dealloc %t : memref<8xf32>
  return
}
