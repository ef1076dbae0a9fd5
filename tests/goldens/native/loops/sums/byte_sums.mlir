// RUN: passes --schedule %s | filecheck %s

// A sum of absolute differences of bytes, however it is written, is one instruction for each vector.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.psad.bw"
func.func @sad(%a: memref<1024xi8>, %b: memref<1024xi8>, %out: memref<i32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a, %b : memref<1024xi8>, memref<1024xi8>) outs(%out : memref<i32>) {
  ^bb0(%x: i8, %y: i8, %old: i32):
    %v = arith.extui %x : i8 to i32
    %w = arith.extui %y : i8 to i32
    %d = arith.subi %v, %w : i32
    %m = math.absi %d : i32
    %s = arith.addi %old, %m : i32
    linalg.yield %s : i32
  }
  return
}
