// RUN: typed --delinearised %s | filecheck %s

// A flat subscript is one of rows, by an assumption that is named.
// CHECK-LABEL: function rows(
// CHECK-NEXT: parameters a: f32, n: i32 = %{{.*}}, lda: i32 = %{{.*}}
// CHECK-NEXT: parameter a: f32[?][lda]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: for k = 0 to n
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0 : f32 : f32
// CHECK-NEXT: a[i][k] = %[[C]]
// CHECK-NEXT: assumed n <= lda: rows of 'a' have lda elements, and a subscript stays in its row
void rows(float *a, int n, int lda) {
  for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) a[i * lda + k] = 0;
}
