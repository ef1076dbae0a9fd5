// RUN: passes --schedule-contractions %s | filecheck %s
// RUN: passes --schedule-contractions %s | filecheck %s --check-prefix=KERNEL
// RUN: passes --schedule-contractions=fp=strict %s | filecheck %s --check-prefix=STRICT

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>

// A product of matrices becomes a call of a kernel: packed panels, and tiles in registers. Its sums are taken in
// another order, so under `fp=strict` it stays.
// CHECK-LABEL: func.func @matmul(
// CHECK: call @contraction0(%arg2, %arg0, %arg1) : (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) -> ()
// STRICT-LABEL: func.func @matmul(
// STRICT: linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<64x64xf32>, memref<64x64xf32>) outs(%arg2 : memref<64x64xf32>) {
func.func @matmul(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  }
  return
}

// What is done with each element of the result goes into the kernel (epilogue fusion).
// CHECK-LABEL: func.func @scaled(
// CHECK: call @contraction1(%arg2, %arg0, %arg1, %arg3) : (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>, f32) -> ()
func.func @scaled(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>, %f: f32) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%c : memref<64x64xf32>) {
  ^bb0(%old: f32):
    %s = arith.mulf %old, %f : f32
    linalg.yield %s : f32
  }
  return
}

// A sum of two elements at a time is no product of two operands.
// KEEP: generic
func.func @sums(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %p = arith.divf %x, %y : f32
    %s = arith.maximumf %old, %p : f32
    linalg.yield %s : f32
  }
  return
}

// The kernel of the first: B is packed into panels of 24 columns, and a tile has four rows of three vectors.
// KERNEL-LABEL: func.func private @contraction0(
// KERNEL: memref.alloc() {{.*}} : memref<3x80x24xf32>
// KERNEL: scf.for {{.*}} iter_args
// KERNEL-COUNT-12: vector.fma
// KERNEL: scf.yield
