// RUN: passes --schedule-contractions=cpu=x86-64-v3 %s | filecheck %s
// RUN: passes --schedule-contractions=cpu=znver4 %s | filecheck %s --check-prefix=BYTES

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// Products of bytes lie packed in words of 32 bits: one instruction multiplies and adds two or four of them.
// CHECK-LABEL: func.func private @contraction0(
// CHECK: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// BYTES-LABEL: func.func private @contraction0(
// BYTES: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
func.func @bytes(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x64xi8>, memref<64x64xi8>) outs(%c : memref<64x64xi32>) {
  ^bb0(%x: i8, %y: i8, %old: i32):
    %v = arith.extsi %x : i8 to i32
    %w = arith.extsi %y : i8 to i32
    %p = arith.muli %v, %w : i32
    %s = arith.addi %old, %p : i32
    linalg.yield %s : i32
  }
  return
}
