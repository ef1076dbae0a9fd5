// RUN: typed --delinearised --taken-apart %s | filecheck %s

// The elements of a small local array at constant subscripts are variables.
// CHECK-LABEL: function mean(
// CHECK-NEXT: parameters x: f64, n: i32 = %{{.*}}
// CHECK-NEXT: parameter x: f64[?]
// CHECK-NEXT: cell t_0: f64
// CHECK-NEXT: cell t_1: f64
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[X:.*]] = x[i]
// CHECK-NEXT: t_0 = %[[X]]
// CHECK-NEXT: %[[X1:.*]] = x[i + n]
// CHECK-NEXT: t_1 = %[[X1]]
// CHECK-NEXT: %[[T0:.*]] = t_0
// CHECK-NEXT: %[[T1:.*]] = t_1
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[T0]], %[[T1]] : f64 : f64
// CHECK-NEXT: x[i] = %[[ADDF]]
void mean(double *x, int n) {
  for (int i = 0; i < n; i++) { double t[2]; t[0] = x[i]; t[1] = x[i + n]; x[i] = t[0] + t[1]; }
}
