// RUN: interface --entry %s | filecheck %s

// C passes a pointer and the open extent; the compiled function takes a memref, whose descriptor is spread over
// arguments: the pointer twice, the offset, two extents and two strides.
// CHECK: llvm.func @scale(%p0: !llvm.ptr {llvm.noalias}, %p1: i64, %p2: f64) {
// CHECK: %[[EXTENT:.*]] = llvm.mlir.constant(8 : i64) : i64
// CHECK: %[[STRIDE:.*]] = llvm.mul %[[EXTENT]], %[[ONE:.*]] : i64
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK: llvm.call @scale.body(%p0, %p0, %[[OFFSET]], %p1, %[[EXTENT]], %[[STRIDE]], %[[ONE]], %p2)
func.func @scale(%a: memref<?x8xf64>, %f: f64) {
  return
}
