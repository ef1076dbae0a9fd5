// RUN: passes --schedule %s | filecheck %s
// RUN: passes --schedule %s | filecheck %s --check-prefix=KERNEL

// A transposition reads along one loop and writes along the other: tiles of 8 times 8 elements are loaded by rows,
// transposed in registers, and stored by columns.
// CHECK-LABEL: func.func @transpose(
// CHECK: call @native_loops_1(%arg0, %arg1)
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: scf.for
// KERNEL: scf.for
// KERNEL-COUNT-8: vector.load %{{.*}} : memref<64x64xf32>, vector<8xf32>
// KERNEL: vector.shuffle
// KERNEL-COUNT-8: vector.store
func.func @transpose(%a: memref<64x64xf32>, %out: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  return
}
