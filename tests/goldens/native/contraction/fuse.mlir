// RUN: passes --schedule-contractions %s | filecheck %s

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// A bias and a maximum with zero follow the product: the kernel does them where it stores a tile.
// CHECK-LABEL: func.func private @contraction0(
// CHECK: vector.fma
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: vector.store
// CHECK-LABEL: func.func @dense(
// CHECK-NOT: linalg.generic
// CHECK: call @contraction0(
func.func @dense(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %bias: memref<64xf32>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : memref<64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%d: f32, %old: f32):
    %s = arith.addf %old, %d : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  }
  return
}
