// RUN: typed --delinearised --with-first-elements %s | filecheck %s

// Memory behind a pointer may be used in front of where it points: that it is not is assumed where a subscript says so.
// CHECK-LABEL: function before(
// CHECK-NEXT: parameters x: f64, n: i32 = %{{.*}}, k: i32 = %{{.*}}
// CHECK-NEXT: parameter x: f64[?]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0 : f64 : f64
// CHECK-NEXT: x[i + k] = %[[C]]
// CHECK-NEXT: assumed 'x' is not used in front of where it points
void before(double *x, int n, int k) { for (int i = 0; i < n; i++) x[i + k] = 0; }


// If it is used at all sizes, and it is known how much, the parameter begins there.
// CHECK-LABEL: function past(
// CHECK: parameter x: f64[?]
// CHECK: for i = 0 to n
// CHECK-NEXT: %[[A:.*]] = x[i + 1]
// CHECK-NEXT: %[[B:.*]] = x[i]
// CHECK-NOT: assumed 'x' is not used
void past(const double *restrict x, double *restrict y, int n) { for (int i = 0; i < n; i++) y[i] = x[i - 1] - x[i - 2]; }
