// RUN: raise %s | filecheck %s

// Flat memory has a view with its rows, as many as are whole in it.
// CHECK-LABEL: func.func @sums(
// CHECK: %[[LENGTH:.*]] = memref.dim %arg2, %{{.*}} : memref<?xf64>
// CHECK: %[[ONE:.*]] = arith.maxsi %arg1, %c1 : index
// CHECK-NEXT: %[[ROWS:.*]] = arith.divsi %[[LENGTH]], %[[ONE]] : index
// CHECK-NEXT: %[[VIEW:.*]] = memref.reinterpret_cast %arg2 to offset: [0], sizes: [%[[ROWS]], %{{.*}}], strides: [%arg1, 1]
// CHECK-NEXT: bufferization.to_tensor %[[VIEW]] restrict
func.func @sums(%n: index, %m: index, %a: memref<?xf64>, %o: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %a[%i * symbol(%m) + %j] : memref<?xf64>
      %y = affine.load %o[%i] : memref<?xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %o[%i] : memref<?xf64>
    }
  }
  return
}
