// RUN: passes --schedule %s | filecheck %s
// RUN: passes --schedule %s | filecheck %s --check-prefix=KERNEL

// A copy whose contents are only read again is left out: the reader takes the source.
// CHECK-LABEL: func.func @copied(
// CHECK: memref.alloc() : memref<100xf32>
// CHECK-NEXT: call @native_loops_1(%arg0, %arg1) : (memref<100xf32>, memref<100xf32>) -> ()
func.func @copied(%a: memref<100xf32>, %out: memref<100xf32>) {
  %t = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%t : memref<100xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : memref<100xf32>) outs(%out : memref<100xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %o : f32
    linalg.yield %s : f32
  }
  return
}
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: %[[A:.*]] = vector.load %arg0
// KERNEL-NEXT: %[[OLD:.*]] = vector.load %arg1
// KERNEL-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[OLD]] : vector<8xf32>
// KERNEL-NEXT: vector.store %[[P]], %arg1

// The source is overwritten before the copy is read: the copy stays.
// CHECK-LABEL: func.func @needed(
// CHECK: %[[MEM:.*]] = memref.alloc() : memref<100xf32>
// CHECK-NEXT: call @native_loops_2(%arg0, %[[MEM]]) : (memref<100xf32>, memref<100xf32>) -> ()
func.func @needed(%a: memref<100xf32>, %out: memref<100xf32>) {
  %t = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : memref<100xf32>) outs(%t : memref<100xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (99 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : memref<100xf32>) outs(%a : memref<100xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  return
}
