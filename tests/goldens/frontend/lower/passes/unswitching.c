// RUN: typed --delinearised --selected --promoted --unswitched %s | filecheck %s

// A branch on an argument is decided in front of the loop; what it is computed of moves along.
// CHECK-LABEL: function scale(
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[C:.*]] = arith.cmpf ogt, %{{.*}}, %[[ZERO]]
// CHECK-NEXT: choose %[[C]]
// CHECK-NEXT: for i = 0 to n
// CHECK-NOT: choose
// CHECK: arith.mulf
// CHECK: y[i] =
// CHECK: else
// CHECK-NEXT: for i_ = 0 to n
// CHECK-NOT: y[
void scale(double *x, double *y, int n, double c) { for (int i = 0; i < n; i++) if (c > 0) y[i] = x[i] * c; }

// A branch on what an iteration reads stays where it is.
// CHECK-LABEL: function data(
// CHECK: for i = 0 to n
// CHECK: choose
// CHECK: y[i + 1] =
void data(double *x, double *y, int n) { for (int i = 0; i < n; i++) if (x[n - i] > 0) y[i + 1] = x[i + n]; }
