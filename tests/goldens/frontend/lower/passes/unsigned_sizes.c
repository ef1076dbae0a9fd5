// RUN: typed --delinearised --with-sizes-of-memory %s | filecheck %s

// A size of 64 bits without sign may be more than an index holds. A loop over memory of that length says that it is
// not; where the sizes do not lead to memory one for one, it is assumed.
// CHECK-LABEL: function clear(
// CHECK-NEXT: parameters x: f64, n: i64 = %{{.*}}
// CHECK-NEXT: parameter x: f64[?]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0 : f64 : f64
// CHECK-NEXT: x[i] = %[[C]]
void clear(double *x, unsigned long n) { for (unsigned long i = 0; i < n; i++) x[i] = 0; }

// CHECK-LABEL: function again(
// CHECK-NEXT: parameters x: f64, n: i64 = %{{.*}}
// CHECK-NEXT: parameter x: f64[?]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[X:.*]] = x[0]
// CHECK-NEXT: %[[C:.*]] = arith.constant 1.0 : f64 : f64
// CHECK-NEXT: %[[ADDF:.*]] = arith.addf %[[X]], %[[C]] : f64 : f64
// CHECK-NEXT: x[0] = %[[ADDF]]
// CHECK-NEXT: assumed n < 2^63: it is a size
void again(double *x, unsigned long n) { for (unsigned long i = 0; i < n; i++) x[0] += 1; }
