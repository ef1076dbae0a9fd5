// RUN: typed --with-rows --delinearised %s | filecheck %s

// A loop over all elements of a flat array becomes one over its rows and one over their elements.
// CHECK-LABEL: function scale(
// CHECK-NEXT: parameters a: f32, n: i32 = %{{.*}}, m: i32 = %{{.*}}
// CHECK-NEXT: parameter a: f32[?][m]
// CHECK-NEXT: for i_row = 0 to n
// CHECK-NEXT: for i_column = 0 to m
// CHECK-NEXT: %[[A:.*]] = a[i_row][i_column]
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.0 : f32 : f32
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[A]], %[[C]] : f32 : f32
// CHECK-NEXT: a[i_row][i_column] = %[[MULF]]
// CHECK-NEXT: for i_1 = 0 to n
// CHECK-NEXT: for k = 0 to m
// CHECK-NEXT: %[[A1:.*]] = a[i_1][k]
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1.0 : f32 : f32
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[A1]], %[[C1]] : f32 : f32
// CHECK-NEXT: a[i_1][k] = %[[ADDF]]
// CHECK-NEXT: assumed m >= 0: rows have that many elements
void scale(float *a, int n, int m) {
  for (int i = 0; i < n * m; i++) a[i] *= 2;
  for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) a[i * m + k] += 1;
}
