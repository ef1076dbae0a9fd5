// RUN: raise --abi=tensor %s | filecheck %s

// Every array becomes a tensor; the function returns what the arrays hold at the end that it writes.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %arg0: tensor<8x9xf32>, %arg1: tensor<8x9xf32>, %arg2: f32) -> tensor<8x9xf32> attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[NEW:.*]] = tensor.empty() : tensor<8x9xf32>
// CHECK-NEXT: %[[MUL:.*]] = linalg.mul ins(%arg0, %arg2 : tensor<8x9xf32>, f32) outs(%[[NEW]] : tensor<8x9xf32>) -> tensor<8x9xf32>
// CHECK-NEXT: return %[[MUL]] : tensor<8x9xf32>
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

// A call works on memory: the function keeps its arrays.
// CHECK-LABEL: func.func @calls(
// CHECK-SAME: %arg0: memref<8x9xf32>, %arg1: f32) attributes {raise.fp = "reassoc"}
// CHECK-NEXT: call @outside(%arg0) : (memref<8x9xf32>) -> ()
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %arg0 : (tensor<8x9xf32>, memref<8x9xf32>) -> ()
func.func private @outside(memref<8x9xf32>)
func.func @calls(%a: memref<8x9xf32>, %x: f32) {
  call @outside(%a) : (memref<8x9xf32>) -> ()
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 9 {
      affine.store %x, %a[%i, %j] : memref<8x9xf32>
    }
  }
  return
}
