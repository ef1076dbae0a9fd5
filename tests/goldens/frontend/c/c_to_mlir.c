// RUN: affine %s | filecheck %s

// Every conversion and bound of C is written out as affine MLIR.
// CHECK-LABEL: func.func @axpy(
// CHECK: %{{.*}}.index = arith.index_cast %{{.*}} : i32 to index
// CHECK-NEXT: affine.for %{{.*}} = 0 to %{{.*}}.index {
// CHECK-NEXT: %[[LOAD:.*]] = affine.load %{{.*}}[%{{.*}}] : memref<?xf32>
// CHECK-NEXT: %[[LOAD1:.*]] = affine.load %{{.*}}[%{{.*}}] : memref<?xf32>
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %{{.*}}, %[[LOAD1]] : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[LOAD]], %[[MULF]] : f32
// CHECK-NEXT: affine.store %[[ADDF]], %{{.*}}[%{{.*}}] : memref<?xf32>
void axpy(float *y, const float *x, float a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }

// What is not affine is refused, with the reason.
// CHECK: refused function 'walk' stays in C: the loop's condition depends on data
void walk(float *x, int n) { for (int i = n; i > 1; i = i / 2) x[i] = 0; }
