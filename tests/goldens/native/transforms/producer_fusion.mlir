// RUN: passes --schedule %s | filecheck %s
// RUN: passes --schedule %s | filecheck %s --check-prefix=KERNEL

// A temporary that one nest reads, each element once, is computed where it is read: the kernel does not get its memory,
// and the loops of the reader may have another order than those that wrote it.
// CHECK-LABEL: func.func @product(
// CHECK: call @native_loops_1(%arg0, %arg1, %arg2) : (memref<100x50xf32>, memref<50x100xf32>, f32) -> ()
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: arith.mulf
// KERNEL: arith.addf
// KERNEL: vector.store %{{.*}}, %arg1
func.func @product(%a: memref<100x50xf32>, %out: memref<50x100xf32>, %x: f32) {
  %t = memref.alloc() : memref<100x50xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<100x50xf32>) outs(%t : memref<100x50xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j, i)>], iterator_types = ["parallel", "parallel"]} ins(%t : memref<100x50xf32>) outs(%out : memref<50x100xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %o : f32
    linalg.yield %s : f32
  }
  return
}

// Shifted reads need the temporary: what is read and what is computed at one point are different elements.
// CHECK-LABEL: func.func @shifted(
// CHECK: %[[T:.*]] = memref.alloc() : memref<100xf32>
// CHECK: call @native_loops_2(%arg0, %[[T]], %arg1, %arg2)
func.func @shifted(%a: memref<100xf32>, %out: memref<98xf32>, %x: f32) {
  %t = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%t : memref<100xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i + 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : memref<100xf32>) outs(%out : memref<98xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %o : f32
    linalg.yield %s : f32
  }
  return
}
