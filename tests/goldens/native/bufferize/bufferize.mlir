// RUN: passes --bufferize %s | filecheck %s

#id = affine_map<(i) -> (i)>

// An update of an array happens in it: there is no allocation and no copy.
// CHECK-LABEL: func.func @in_place(
// CHECK: linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%arg0 : memref<8xf32>) {
func.func @in_place(%a: memref<8xf32>, %x: f32) {
  %t = bufferization.to_tensor %a restrict writable : memref<8xf32> to tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%t : tensor<8xf32>) {
  ^bb0(%old: f32):
    %s = arith.mulf %old, %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// A swap needs one temporary, and one array is saved in it before it is overwritten.
// CHECK-LABEL: func.func @swap(
// CHECK: %[[MEM:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : memref<8xf32>) outs(%[[MEM]] : memref<8xf32>) {
// CHECK: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg1 : memref<8xf32>) outs(%arg0 : memref<8xf32>) {
// CHECK: linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%[[MEM]] : memref<8xf32>) outs(%arg1 : memref<8xf32>) {
func.func @swap(%a: memref<8xf32>, %b: memref<8xf32>) {
  %s = bufferization.to_tensor %a restrict writable : memref<8xf32> to tensor<8xf32>
  %t = bufferization.to_tensor %b restrict writable : memref<8xf32> to tensor<8xf32>
  %kept = bufferization.alloc_tensor() copy(%s) : tensor<8xf32>
  bufferization.materialize_in_destination %t in restrict writable %a : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %kept in restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}
