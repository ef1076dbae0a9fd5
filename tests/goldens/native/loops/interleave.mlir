// RUN: passes --schedule %s | filecheck %s
// RUN: passes --schedule %s | filecheck %s --check-prefix=KERNEL

// Every second element is read: whole vectors are loaded, and a shuffle takes the elements from them.
// CHECK-LABEL: func.func @evens(
// CHECK: call @native_loops_1(%arg0, %arg1)
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: vector.load %{{.*}} : memref<128xf32>, vector<8xf32>
// KERNEL: vector.shuffle %{{.*}} [0, 2, 4, 6
// KERNEL: vector.store
func.func @evens(%a: memref<128xf32>, %out: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (2 * i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<128xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  return
}
