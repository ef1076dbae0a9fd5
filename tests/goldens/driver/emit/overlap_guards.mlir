// RUN: raise --guard %s | filecheck %s

// That arguments do not overlap is tested at run time, by the addresses of their first and last elements; where they do,
// the loops run as they were.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: f32) attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %arg0 : memref<8xf32> -> index
// CHECK-NEXT: %[[C:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[ADDI:.*]] = arith.addi %[[ADDRESS]], %[[C]] : index
// CHECK-NEXT: %[[ADDRESS1:.*]] = memref.extract_aligned_pointer_as_index %arg1 : memref<8xf32> -> index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[ADDI1:.*]] = arith.addi %[[ADDRESS1]], %[[C1]] : index
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi ule, %[[ADDI]], %[[ADDRESS1]] : index
// CHECK-NEXT: %[[CMPI1:.*]] = arith.cmpi ule, %[[ADDI1]], %[[ADDRESS]] : index
// CHECK-NEXT: %[[ORI:.*]] = arith.ori %[[CMPI]], %[[CMPI1]] : i1
// CHECK-NEXT: scf.if %[[ORI]] {
// CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %arg0 restrict : memref<8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[NEW:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT: %[[MUL:.*]] = linalg.mul ins(%[[T]], %arg2 : tensor<8xf32>, f32) outs(%[[NEW]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: bufferization.materialize_in_destination %[[MUL]] in restrict writable %arg1 : (tensor<8xf32>, memref<8xf32>) -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT: affine.for %arg3 = 0 to 8 {
// CHECK-NEXT: %[[LOAD:.*]] = affine.load %arg0[%arg3] : memref<8xf32>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[LOAD]], %arg2 : f32
// CHECK-NEXT: affine.store %[[MULF]], %arg1[%arg3] : memref<8xf32>
// CHECK: return
func.func @scale(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    %y = affine.load %a[%i] : memref<8xf32>
    %z = arith.mulf %y, %x : f32
    affine.store %z, %b[%i] : memref<8xf32>
  }
  return
}

// One array needs no test.
// CHECK-LABEL: func.func @one(
// CHECK: linalg.fill ins(%arg1 : f32) outs(%{{.*}} : tensor<8xf32>) -> tensor<8xf32>
func.func @one(%a: memref<8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
  }
  return
}
