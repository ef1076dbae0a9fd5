// RUN: raise --guard %s | filecheck %s

// The loop reads n elements of an array of unknown length: that they are there is tested, too.
// CHECK-LABEL: func.func @prefix(
// CHECK: %[[DIM:.*]] = memref.dim %arg0, %{{.*}} : memref<?xf32>
// CHECK-NEXT: %[[CMPI:.*]] = arith.cmpi sge, %[[DIM]], %arg1 : index
// CHECK-NEXT: scf.if %[[CMPI]] {
// CHECK: linalg.fill ins(%arg2 : f32) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
// CHECK: affine.for %arg3 = 0 to %arg1 {
func.func @prefix(%a: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.store %x, %a[%i] : memref<?xf32>
  }
  return
}
