// RUN: passes --tile-products %s | filecheck %s

// Tiles of four rows and two vectors of eight (AVX2) stay in registers over all of k; the tile beside it is asked for. The
// last two columns are done under a mask.
// CHECK-LABEL: func.func private @native_product_0(
// CHECK: scf.for %arg3 = %c0 to %c64 step %c2048 {
// CHECK: scf.for %arg4 = %c0 to %c40 step %c32 {
// CHECK: scf.for %arg5 = %c0 to %c48 step %c16 {
// CHECK: scf.for %arg6 = %arg4 to %{{.*}} step %c4 {
// CHECK: memref.prefetch %arg2[
// CHECK: scf.for %arg7 = %arg3 to %{{.*}} step %c1 iter_args(%[[OLD:.*]] = %{{.*}}, %arg9 =
// CHECK: %[[A:.*]] = memref.load %arg0[%arg6, %arg7] : memref<40x64xf32>
// CHECK-NEXT: %[[B:.*]] = vector.load %arg1[%arg7, %arg5] : memref<64x50xf32>, vector<8xf32>
// CHECK-NEXT: %[[ALL:.*]] = vector.broadcast %[[A]] : f32 to vector<8xf32>
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ALL]], %[[B]] : vector<8xf32>
// CHECK-NEXT: %[[LESS:.*]] = arith.cmpf olt, %[[OLD]], %[[SUM]] : vector<8xf32>
// CHECK-NEXT: arith.select %[[LESS]], %[[OLD]], %[[SUM]] : vector<8xi1>, vector<8xf32>
// CHECK: scf.for %arg5 = %c48 to %c50 step %c8 {
// CHECK: vector.create_mask
// CHECK: vector.maskedstore
// CHECK-LABEL: func.func @shortest(
// CHECK-NEXT: call @native_product_0(%arg0, %arg1, %arg2) : (memref<40x64xf32>, memref<64x50xf32>, memref<40x50xf32>) -> ()
// CHECK-NEXT: return
func.func @shortest(%a: memref<40x64xf32>, %b: memref<64x50xf32>, %d: memref<40x50xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<40x64xf32>, memref<64x50xf32>) outs(%d : memref<40x50xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    %less = arith.cmpf olt, %old, %s : f32
    %r = arith.select %less, %old, %s : f32
    linalg.yield %r : f32
  }
  return
}

// What is written is read in another place: the order of elements counts.
// CHECK-LABEL: func.func @in_place(
// CHECK: linalg.generic
func.func @in_place(%a: memref<40x64xf32>, %d: memref<64x64xf32>) {
  %part = memref.subview %d[0, 0] [40, 64] [1, 1] : memref<64x64xf32> to memref<40x64xf32, strided<[64, 1]>>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %d : memref<40x64xf32>, memref<64x64xf32>) outs(%part : memref<40x64xf32, strided<[64, 1]>>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %old, %s : f32
    linalg.yield %r : f32
  }
  return
}

// Eight steps do not repay loading and storing a tile.
// CHECK-LABEL: func.func @short(
// CHECK: linalg.generic
func.func @short(%a: memref<40x8xf32>, %b: memref<8x50xf32>, %d: memref<40x50xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<40x8xf32>, memref<8x50xf32>) outs(%d : memref<40x50xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %old, %s : f32
    linalg.yield %r : f32
  }
  return
}
