// RUN: interface --entry --workspace %s | filecheck %s

// Python passes objects. An array that is of the right type, rank and extents, aligned and contiguous, is used at once;
// what has to be looked at more closely gives 1, without the call.
// CHECK: llvm.func @scale.objects(%table: !llvm.ptr, %p0: !llvm.ptr, %p1: f64, %workspace: !llvm.ptr) -> i64 {
// CHECK: %[[TYPE:.*]] = llvm.getelementptr %p0[8]
// CHECK: llvm.cond_br %{{.*}}, ^arrays, ^closer
// CHECK: llvm.cond_br %{{.*}}, ^shapes, ^closer
// CHECK: llvm.cond_br %{{.*}}, ^call, ^closer
// CHECK: ^call:
// CHECK-NEXT: llvm.call @scale(%{{.*}}, %p1, %workspace)
// CHECK: ^closer:
// CHECK-NEXT: %[[CLOSER:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT: llvm.return %[[CLOSER]] : i64

// As a built-in function of Python's, it takes the objects of all arguments; numbers are of the types of the table.
// CHECK: llvm.func @scale.called(%self: !llvm.ptr, %objects: !llvm.ptr, %count: i64) -> !llvm.ptr {
// CHECK: llvm.cond_br %{{.*}}, ^numbers, ^closer
// CHECK: llvm.cond_br %{{.*}}, ^values, ^closer
// CHECK: %[[FACTOR:.*]] = llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> f64
// CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} acq_rel monotonic : !llvm.ptr, i64
// CHECK: %[[OUTCOME:.*]] = llvm.call @scale.objects(%{{.*}}, %{{.*}}, %[[FACTOR]], %{{.*}})
// CHECK: %[[SAME:.*]] = llvm.icmp "eq" %[[OUTCOME]]
// CHECK-NEXT: llvm.cond_br %[[SAME]], ^done, ^closer
func.func @scale(%a: memref<8xf64>, %f: f64) {
  return
}
