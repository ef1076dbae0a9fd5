// RUN: raise %s | filecheck %s

// A load at positions that are data: the tensor that the loop would have seen is made by an operation with an extract.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %arg0: memref<100xf32>, %arg1: memref<8xindex>, %arg2: memref<8xf32>, %arg3: f32) attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %arg1 restrict : memref<8xindex> to tensor<8xindex>
// CHECK-NEXT: %[[SLICE:.*]] = tensor.extract_slice %[[T]][0] [8] [1] : tensor<8xindex> to tensor<8xindex>
// CHECK-NEXT: %[[NEW:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[T1:.*]] = bufferization.to_tensor %arg0 restrict : memref<100xf32> to tensor<100xf32>
// CHECK-NEXT: %[[R:.*]] = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%[[SLICE]] : tensor<8xindex>) outs(%[[NEW]] : tensor<8xf32>) {
// CHECK-NEXT: ^bb0(%in: index, %out: f32):
// CHECK-NEXT: %[[EXTRACT:.*]] = tensor.extract %[[T1]][%in] : tensor<100xf32>
// CHECK-NEXT: linalg.yield %[[EXTRACT]] : f32
// CHECK-NEXT: } -> tensor<8xf32>
// CHECK-NEXT: %[[MUL:.*]] = linalg.mul ins(%[[R]], %arg3 : tensor<8xf32>, f32) outs(%[[NEW]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: bufferization.materialize_in_destination %[[MUL]] in restrict writable %arg2 : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK-NEXT: return
func.func @gather(%a: memref<100xf32>, %at: memref<8xindex>, %out: memref<8xf32>, %f: f32) {
  affine.for %i = 0 to 8 {
    %p = affine.load %at[%i] : memref<8xindex>
    %x = memref.load %a[%p] : memref<100xf32>
    %y = arith.mulf %x, %f : f32
    affine.store %y, %out[%i] : memref<8xf32>
  }
  return
}
