// RUN: passes --schedule %s | filecheck %s

// A sum keeps its grouping, which must not depend on where an array lies.
// CHECK-LABEL: func.func private @native_loops_2(
// CHECK-NOT: extract_aligned_pointer
// CHECK: vector.reduction
func.func @scaled(%a: memref<?xf64>, %out: memref<?xf64>, %f: f64) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<?xf64>) outs(%out : memref<?xf64>) {
  ^bb0(%x: f64, %o: f64):
    %s = arith.mulf %x, %f : f64
    linalg.yield %s : f64
  }
  return
}

// Where an array of C begins is not known: up to a vector less one are done one by one, until the others are stored at
// multiples of their size.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: %[[START:.*]] = memref.extract_aligned_pointer_as_index %arg1
// CHECK: arith.andi %{{.*}}, %c31
// Whole steps of what is left are counted without a sign: a negative length has none.
// CHECK: %[[LENGTH:.*]] = arith.maxsi %{{.*}}, %c0 : index
// CHECK-NEXT: arith.remui %[[LENGTH]], %{{.*}} : index
// Where much is written, it goes past the caches, aligned, and is there before what comes later.
// CHECK: vector.store %{{.*}} {alignment = 32 : i64, nontemporal = true} : memref<?xf64>, vector<4xf64>
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// CHECK: } else {
// CHECK: vector.store %{{[^{]*}} : memref<?xf64>, vector<4xf64>
func.func @sum(%a: memref<?xf64>, %out: memref<f64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a : memref<?xf64>) outs(%out : memref<f64>) {
  ^bb0(%x: f64, %o: f64):
    %s = arith.addf %o, %x : f64
    linalg.yield %s : f64
  }
  return
}
