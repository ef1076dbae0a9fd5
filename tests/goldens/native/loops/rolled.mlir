// RUN: passes --schedule %s | filecheck %s

// The text adds to both members of each pair: one statement on neighbours in memory, so vectors are loaded and stored as
// they lie, and no shuffle takes them apart.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK-NOT: vector.shuffle
// CHECK: %[[OLD:.*]] = vector.load %arg1[
// CHECK: arith.addf %[[OLD]]
// CHECK: vector.store
// CHECK-NOT: vector.shuffle
// CHECK: return
#id = affine_map<(i) -> (i)>
func.func @pairs(%x: memref<128xf32>, %y: memref<128xf32>) {
  %a = memref.subview %x[0] [64] [2] : memref<128xf32> to memref<64xf32, strided<[2]>>
  %b = memref.subview %x[1] [64] [2] : memref<128xf32> to memref<64xf32, strided<[2], offset: 1>>
  %c = memref.subview %y[0] [64] [2] : memref<128xf32> to memref<64xf32, strided<[2]>>
  %d = memref.subview %y[1] [64] [2] : memref<128xf32> to memref<64xf32, strided<[2], offset: 1>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<64xf32, strided<[2]>>) outs(%c : memref<64xf32, strided<[2]>>) {
  ^bb0(%v: f32, %old: f32):
    %s = arith.addf %old, %v : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<64xf32, strided<[2], offset: 1>>) outs(%d : memref<64xf32, strided<[2], offset: 1>>) {
  ^bb0(%v: f32, %old: f32):
    %s = arith.addf %old, %v : f32
    linalg.yield %s : f32
  }
  return
}
