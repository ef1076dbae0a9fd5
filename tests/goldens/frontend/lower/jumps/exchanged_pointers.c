// RUN: core --with-pointers-back %s | filecheck %s

// Two pointers that every iteration exchanges are back after two: the loop is unrolled by two.
// CHECK-LABEL: function steps(
// CHECK-SAME: a: *f64, b: *f64, n: i32, t: i32) void
// CHECK-NEXT: var k: i32 = 0
// CHECK-NEXT: loop while (i64(k) + 1:i64) < i64(t)
// CHECK-NEXT: var i: i32 = 0
// CHECK-NEXT: loop while i < n
// CHECK-NEXT: b[i] = 2.0 * a[i]
// CHECK-NEXT: step
// CHECK-NEXT: i = i + 1
// CHECK-NEXT: var p: *f64 = a
// CHECK-NEXT: a = b
// CHECK-NEXT: b = p
// CHECK-NEXT: let i_at: i32 = 0
// CHECK-NEXT: loop while i_at < n
// CHECK-NEXT: b[i_at] = 2.0 * a[i_at]
// CHECK-NEXT: step
// CHECK-NEXT: i_at = i_at + 1
// CHECK-NEXT: let p_at: *f64 = a
// CHECK-NEXT: a = b
// CHECK-NEXT: b = p_at
// CHECK-NEXT: step
// CHECK-NEXT: k = k + 2
// CHECK-NEXT: if (0:i64 < i64(t)) && (((i64(t) - 0:i64) % 2:i64) >= 1:i64)
// CHECK-NEXT: let i_at_: i32 = 0
// CHECK-NEXT: loop while i_at_ < n
// CHECK-NEXT: b[i_at_] = 2.0 * a[i_at_]
// CHECK-NEXT: step
// CHECK-NEXT: i_at_ = i_at_ + 1
void steps(double *a, double *b, int n, int t) {
  for (int k = 0; k < t; k++) {
    for (int i = 0; i < n; i++) b[i] = 2 * a[i];
    double *p = a; a = b; b = p;
  }
}
