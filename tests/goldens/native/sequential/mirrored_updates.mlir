// RUN: passes --bufferize --schedule=fp=strict %s | filecheck %s
// RUN: passes --bufferize --schedule=fp=strict %s | filecheck %s --check-prefix=KERNEL

// Elements i and n - 1 - i are computed from one another: a vector from each end is loaded, and both are stored.
// CHECK-LABEL: func.func @reflected(
// CHECK: call @native_loops_1(%{{.*}}, %{{.*}}) : (memref<64xf32>, f32) -> ()
// CHECK-NEXT: return
// KERNEL-LABEL: func.func private @native_loops_1(
// KERNEL: arith.shrui
// KERNEL: vector.load
// KERNEL: vector.load
// KERNEL: vector.store
// KERNEL: vector.shuffle
// KERNEL: vector.store
func.func @reflected(%y: memref<64xf32>, %a: f32) {
  %last = arith.constant 63 : index
  %t = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%y : memref<64xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 0 : index
    %k = arith.subi %last, %i : index
    %m = memref.load %y[%k] : memref<64xf32>
    %p = arith.mulf %a, %m : f32
    %s = arith.addf %x, %p : f32
    linalg.yield %s : f32
  }
  memref.copy %t, %y : memref<64xf32> to memref<64xf32>
  return
}
