// RUN: typed --delinearised --promoted %s | filecheck %s

// What a cell holds is known, and what is computed twice is so once.
// CHECK-LABEL: function twice(
// CHECK-NEXT: parameters x: f64, n: i32 = %{{.*}}
// CHECK-NEXT: parameter x: f64[?]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[X:.*]] = x[i]
// CHECK-NEXT: %[[MULF:.*]] = arith.mulf %[[X]], %[[X]] : f64 : f64
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[MULF]], %[[MULF]] : f64 : f64
// CHECK-NEXT: x[i] = %[[ADDF]]
void twice(double *x, int n) {
  for (int i = 0; i < n; i++) { double t = x[i]; t = t * t; x[i] = t + x[i] * x[i]; }
}
