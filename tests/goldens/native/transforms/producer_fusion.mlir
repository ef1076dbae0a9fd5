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

// So is what only its diagonal is read of.
// CHECK-LABEL: func.func @diagonal(
// CHECK: call @native_loops_2(%arg0, %arg1, %arg2) : (memref<50x50xf32>, memref<50xf32>, f32) -> ()
func.func @diagonal(%a: memref<50x50xf32>, %out: memref<50xf32>, %x: f32) {
  %t = memref.alloc() : memref<50x50xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<50x50xf32>) outs(%t : memref<50x50xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : memref<50x50xf32>) outs(%out : memref<50xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %e, %o : f32
    linalg.yield %s : f32
  }
  return
}

// An element that is read at two points is computed once.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[T:.*]] = memref.alloc() : memref<100xf32>
// CHECK: call @native_loops_3(%arg0, %[[T]], %arg1, %arg2)
func.func @twice(%a: memref<100xf32>, %out: memref<98xf32>, %x: f32) {
  %t = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%t : memref<100xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i + 2)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t, %t : memref<100xf32>, memref<100xf32>) outs(%out : memref<98xf32>) {
  ^bb0(%d: f32, %e: f32, %o: f32):
    %s = arith.addf %d, %e : f32
    linalg.yield %s : f32
  }
  return
}

// All of it read at two places, as it lies and mirrored, is computed at both.
// CHECK-LABEL: func.func @symmetric(
// CHECK: call @native_loops_4(%arg0, %arg1, %arg2) : (memref<50xf32>, memref<50xf32>, memref<50x50xf32>) -> ()
func.func @symmetric(%x: memref<50xf32>, %y: memref<50xf32>, %out: memref<50x50xf32>) {
  %t = memref.alloc() : memref<50x50xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<50xf32>, memref<50xf32>) outs(%t : memref<50x50xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t, %t : memref<50x50xf32>, memref<50x50xf32>) outs(%out : memref<50x50xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}
