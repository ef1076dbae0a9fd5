// RUN: raise --target=stablehlo %s | filecheck %s

// A target of pure functions: arrays and scalars become tensors, and the operations are the target's own.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %arg0: tensor<8x9xf32>, %arg1: tensor<8x9xf32>, %arg2: tensor<f32>) -> tensor<8x9xf32> attributes {raise.fp = "reassoc"}
// CHECK-NEXT: %[[BROADCAST_IN_DIM:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x9xf32>
// CHECK-NEXT: %[[MULTIPLY:.*]] = stablehlo.multiply %arg0, %[[BROADCAST_IN_DIM]] : tensor<8x9xf32>
// CHECK-NEXT: return %[[MULTIPLY]] : tensor<8x9xf32>
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
