// RUN: passes --schedule-contractions %s | filecheck %s
// RUN: passes --schedule-contractions %s | filecheck %s --check-prefix=KERNEL

#a = affine_map<(i, j, k) -> (i, k)>
#t = affine_map<(i, j, k) -> (j, k)>
#c = affine_map<(i, j, k) -> (i, j)>

// A product with its own transpose is symmetric. The kernel leaves out the tiles that lie above the diagonal, and stores
// each block of the others transposed at the mirrored place, too. (That C starts from zeros matters: what C held need not
// be symmetric.)
// CHECK-LABEL: func.func @square(
// CHECK: call @contraction0(
// KERNEL-LABEL: func.func private @contraction0(
// KERNEL: arith.cmpi sle
// KERNEL-NEXT: scf.if
// KERNEL: vector.fma
// KERNEL: vector.shuffle
// KERNEL: vector.store
func.func @square(%a: memref<64x64xf64>, %c: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%c : memref<64x64xf64>)
  linalg.generic {indexing_maps = [#a, #t, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %a : memref<64x64xf64>, memref<64x64xf64>) outs(%c : memref<64x64xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %p = arith.mulf %x, %y : f64
    %s = arith.addf %old, %p : f64
    linalg.yield %s : f64
  }
  return
}
