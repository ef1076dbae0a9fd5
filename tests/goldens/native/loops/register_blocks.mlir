// RUN: passes --schedule %s | filecheck %s

// Each element needs itself only, so the loop over steps is the inner one: what it carries is in registers.
// CHECK-LABEL: func.func private @native_loops_1(
// CHECK: scf.if
// CHECK: scf.for
// CHECK: vector.load
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<
// CHECK-NOT: vector.store
// CHECK: scf.yield {{.*}} : vector<
// CHECK: vector.store
func.func @horner(%t: index, %y: memref<?xf64>, %x: memref<?xf64>, %c: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %t step %c1 {
    %w = memref.load %c[%k] : memref<?xf64>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf64>) outs(%y : memref<?xf64>) {
    ^bb0(%a: f64, %o: f64):
      %p = arith.mulf %o, %a : f64
      %r = arith.addf %p, %w : f64
      linalg.yield %r : f64
    }
  }
  return
}
