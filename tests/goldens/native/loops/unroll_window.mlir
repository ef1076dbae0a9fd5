// RUN: passes --schedule=fp=strict %s | filecheck %s

// A sum over a window of three is written out, in its order: no loop over the window is left.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-3: arith.addf %{{.*}} : vector<8xf32>
// CHECK: vector.store
func.func @window(%a: memref<66xf32>, %w: memref<3xf32>, %out: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, w) -> (i + w)>, affine_map<(i, w) -> (w)>, affine_map<(i, w) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a, %w : memref<66xf32>, memref<3xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%e: f32, %f: f32, %o: f32):
    %p = arith.mulf %e, %f : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return
}
