// RUN: passes --schedule=threads=2 %s | filecheck %s
// RUN: passes --schedule=threads=1 %s | filecheck %s --check-prefix=ONE

// Sums over many rows are split into blocks of rows for the threads, each with sums of its own; these are added at the
// end. One thread needs no blocks.
// CHECK: scf.parallel
// ONE-NOT: scf.parallel
// ONE: vector.store
func.func @columns(%a: memref<100000x64xf32>, %out: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>], iterator_types = ["parallel", "reduction"]} ins(%a : memref<100000x64xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.addf %o, %e : f32
    linalg.yield %s : f32
  }
  return
}
