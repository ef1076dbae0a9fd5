// RUN: passes --schedule %s | filecheck %s

// Differences of bytes fit in 16 bits, and two of their squares are summed by one instruction.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: %[[D:.*]] = arith.subi %{{.*}}, %{{.*}} : vector<16xi16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[D]], %[[D]])
func.func @ssd(%a: memref<1024xi8>, %b: memref<1024xi8>, %out: memref<i32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%a, %b : memref<1024xi8>, memref<1024xi8>) outs(%out : memref<i32>) {
  ^bb0(%x: i8, %y: i8, %old: i32):
    %v = arith.extui %x : i8 to i32
    %w = arith.extui %y : i8 to i32
    %d = arith.subi %v, %w : i32
    %m = arith.muli %d, %d : i32
    %s = arith.addi %old, %m : i32
    linalg.yield %s : i32
  }
  return
}
