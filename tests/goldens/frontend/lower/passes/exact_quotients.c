// RUN: typed --with-exact-quotients --delinearised %s | filecheck %s

// Rows of n elements are two halves: that n / 2 leaves no remainder is assumed.
// CHECK-LABEL: function halves(
// CHECK-NEXT: parameters a: f32, n: i32 = %{{.*}}
// CHECK-NEXT: parameter a: f32[?][quotient]
// CHECK-NEXT: for i = 0 to 2 * quotient
// CHECK-NEXT: for k = 0 to quotient
// CHECK-NEXT: %[[A:.*]] = a[2 * i + 1][k]
// CHECK-NEXT: a[2 * i][k] = %[[A]]
// CHECK-NEXT: assumed n is a multiple of 2: rows are not cut off
void halves(float *a, int n) {
  for (int i = 0; i < n; i++) for (int k = 0; k < n / 2; k++) a[i * n + k] = a[i * n + n / 2 + k];
}
