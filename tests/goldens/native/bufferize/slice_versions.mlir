// RUN: passes --update-in-place %s | filecheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// A block is computed from itself and a row of the tensor: the row is copied before the block is overwritten.
// CHECK-LABEL: func.func @block(
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = tensor.extract_slice %arg0[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
// CHECK-NEXT: %[[ROOM:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) : tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%[[ROOM]] : tensor<8xf32>) outs(%[[SLICE1]] : tensor<7x8xf32>) {
// CHECK: %[[PUT:.*]] = tensor.insert_slice %[[R]] into %arg0[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
// CHECK-NEXT: return %[[PUT]] : tensor<8x8xf32>
func.func @block(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %row = tensor.extract_slice %t[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %part = tensor.extract_slice %t[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
  %new = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%row : tensor<8xf32>) outs(%part : tensor<7x8xf32>) {
  ^bb0(%r: f32, %old: f32):
    %s = arith.subf %old, %r : f32
    linalg.yield %s : f32
  } -> tensor<7x8xf32>
  %all = tensor.insert_slice %new into %t[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
  return %all : tensor<8x8xf32>
}

// A later read of rows that the update leaves alone is a read of the newest version.
// CHECK-LABEL: func.func @newest(
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = tensor.extract_slice %arg0[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
// CHECK-NEXT: %[[ROOM:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) : tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%[[ROOM]] : tensor<8xf32>) outs(%[[SLICE1]] : tensor<7x8xf32>) {
// CHECK: %[[PUT:.*]] = tensor.insert_slice %[[R]] into %arg0[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
// CHECK-NEXT: %[[SLICE2:.*]] = tensor.extract_slice %[[PUT]][0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
// CHECK-NEXT: return %[[PUT]], %[[SLICE2]] : tensor<8x8xf32>, tensor<1x8xf32>
func.func @newest(%t: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<1x8xf32>) {
  %row = tensor.extract_slice %t[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %first = tensor.extract_slice %t[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
  %part = tensor.extract_slice %t[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
  %new = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%row : tensor<8xf32>) outs(%part : tensor<7x8xf32>) {
  ^bb0(%r: f32, %old: f32):
    %s = arith.subf %old, %r : f32
    linalg.yield %s : f32
  } -> tensor<7x8xf32>
  %all = tensor.insert_slice %new into %t[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
  return %all, %first : tensor<8x8xf32>, tensor<1x8xf32>
}

// A read of rows that the update replaces stays one of the old tensor.
// CHECK-LABEL: func.func @old(
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
// CHECK-NEXT: %[[SLICE1:.*]] = tensor.extract_slice %arg0[7, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
// CHECK-NEXT: %[[SLICE2:.*]] = tensor.extract_slice %arg0[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
// CHECK-NEXT: %[[ROOM:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) : tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%[[ROOM]] : tensor<8xf32>) outs(%[[SLICE2]] : tensor<7x8xf32>) {
// CHECK: %[[PUT:.*]] = tensor.insert_slice %[[R]] into %arg0[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
// CHECK-NEXT: return %[[PUT]], %[[SLICE1]] : tensor<8x8xf32>, tensor<1x8xf32>
func.func @old(%t: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<1x8xf32>) {
  %row = tensor.extract_slice %t[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %last = tensor.extract_slice %t[7, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
  %part = tensor.extract_slice %t[1, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
  %new = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%row : tensor<8xf32>) outs(%part : tensor<7x8xf32>) {
  ^bb0(%r: f32, %old: f32):
    %s = arith.subf %old, %r : f32
    linalg.yield %s : f32
  } -> tensor<7x8xf32>
  %all = tensor.insert_slice %new into %t[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
  return %all, %last : tensor<8x8xf32>, tensor<1x8xf32>
}
