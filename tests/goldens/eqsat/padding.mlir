// RUN: raise-opt --rulesets=padding %s | filecheck %s

// Two paddings with the same number are one.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK-NEXT: tensor.insert_slice %arg0 into %[[ZEROS]][2, 2] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<12x12xf32>
// CHECK-NEXT: return
func.func @twice(%x: tensor<8x8xf32>) -> tensor<12x12xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<8x8xf32> to tensor<10x10xf32>
  %q = tensor.pad %p low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<10x10xf32> to tensor<12x12xf32>
  return %q : tensor<12x12xf32>
}
