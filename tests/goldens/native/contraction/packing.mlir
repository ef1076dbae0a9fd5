// RUN: passes --schedule-contractions %s | filecheck %s

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// What is done with an element of an operand is done once, where blocks of it are packed, and not in the tiles.
// CHECK-LABEL: func.func private @contraction0(
// CHECK: memref.alloc()
// CHECK: math.exp
// CHECK-NEXT: vector.store
// CHECK: vector.fma
// CHECK-NOT: math.exp
// CHECK: return
func.func @f(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %e = math.exp %y : f32
    %p = arith.mulf %x, %e : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  }
  return
}
