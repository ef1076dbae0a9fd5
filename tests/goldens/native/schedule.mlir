// RUN: passes --schedule %s | filecheck %s
// RUN: passes --schedule %s | filecheck %s --check-prefix=KERNEL

#id = affine_map<(i) -> (i)>

// Two nests over the same elements become one loop on vectors, in a kernel that the function calls; the temporary
// between them is not stored.
// CHECK-LABEL: func.func @fused(
// CHECK: memref.alloc() : memref<1000xf32>
// CHECK-NEXT: call @native_loops_1(%arg0, %arg1, %arg2) : (memref<1000xf32>, memref<1000xf32>, f32) -> ()
func.func @fused(%a: memref<1000xf32>, %out: memref<1000xf32>, %x: f32) {
  %t = memref.alloc() : memref<1000xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<1000xf32>) outs(%t : memref<1000xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%t : memref<1000xf32>) outs(%out : memref<1000xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %o : f32
    linalg.yield %s : f32
  }
  return
}
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// KERNEL-NEXT: %[[A:.*]] = vector.load %arg0[%[[I]]] : memref<1000xf32>, vector<8xf32>
// KERNEL-NEXT: %[[X:.*]] = vector.broadcast %arg2 : f32 to vector<8xf32>
// KERNEL-NEXT: %[[T:.*]] = arith.mulf %[[A]], %[[X]] : vector<8xf32>
// KERNEL-NEXT: %[[OLD:.*]] = vector.load %arg1[%[[I]]] : memref<1000xf32>, vector<8xf32>
// KERNEL-NEXT: %[[SUM:.*]] = arith.addf %[[T]], %[[OLD]] : vector<8xf32>
// KERNEL-NEXT: vector.store %[[SUM]], %arg1[%[[I]]] : memref<1000xf32>, vector<8xf32>
// What is left of the last vector is done by smaller ones, because this machine has slow stores under masks.
// KERNEL: vector.store %{{.*}}, %arg1[%{{.*}}] : memref<1000xf32>, vector<4xf32>
// KERNEL: vector.store %{{.*}}, %arg1[%{{.*}}] : memref<1000xf32>, vector<2xf32>
// KERNEL: memref.store %{{.*}}, %arg1[%{{.*}}] : memref<1000xf32>
// KERNEL-NOT: vector.maskedstore
