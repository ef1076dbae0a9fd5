// RUN: typed --delinearised --selected %s | filecheck %s

// A branch on data is a selection, where memory is touched on both paths.
// CHECK-LABEL: function clip(
// CHECK-NEXT: parameters x: f64, n: i32 = %{{.*}}
// CHECK-NEXT: parameter x: f64[?]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[X:.*]] = x[i]
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0 : f64 : f64
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf olt, %[[X]], %[[C]] : f64 : i1
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0.0 : f64 : f64
// CHECK-NEXT: %[[X1:.*]] = x[i]
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPF]], %[[C1]], %[[X1]] : f64 : f64
// CHECK-NEXT: x[i] = %[[SELECT]]
void clip(double *x, int n) { for (int i = 0; i < n; i++) if (x[i] < 0) x[i] = 0; }

// Where only one path touches memory, the other reads and writes it too: that it is there is assumed.
// CHECK-LABEL: function other(
// CHECK-NEXT: parameters x: f64, y: f64, n: i32 = %{{.*}}
// CHECK-NEXT: parameter x: f64[?]
// CHECK-NEXT: parameter y: f64[?]
// CHECK-NEXT: for i = 0 to n
// CHECK-NEXT: %[[X:.*]] = x[i]
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0 : f64 : f64
// CHECK-NEXT: %[[CMPF:.*]] = arith.cmpf olt, %[[X]], %[[C]] : f64 : i1
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0.0 : f64 : f64
// CHECK-NEXT: %[[Y:.*]] = y[i]
// CHECK-NEXT: %[[SELECT:.*]] = arith.select %[[CMPF]], %[[C1]], %[[Y]] : f64 : f64
// CHECK-NEXT: y[i] = %[[SELECT]]
// CHECK-NEXT: assumed 'x' does not overlap 'y' in memory (restrict would say so)
// CHECK-NEXT: assumed 'y' is as long as 'x', also where a branch does not use it
void other(double *x, double *y, int n) { for (int i = 0; i < n; i++) if (x[i] < 0) y[i] = 0; }

// All fields of a struct are there if one is.
// CHECK-LABEL: function tagged(
// CHECK: for i = 0 to n
// CHECK-NEXT: %[[TAG:.*]] = r_i32[i][1]
// CHECK: %[[IS:.*]] = arith.cmpi sgt
// CHECK: %[[VAL:.*]] = r_f32[i][0]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[OLD:.*]] = s
// CHECK-NEXT: %[[NEW:.*]] = arith.select %[[IS]], %{{.*}}, %[[OLD]] : f32 : f32
// CHECK-NEXT: s = %[[NEW]]
struct r { float val; int tag; };
float tagged(const struct r *r, int n) { float s = 0; for (int i = 0; i < n; i++) if (r[i].tag > 0) s += r[i].val; return s; }

// What a side declares is written in any case: nobody reads it where the side is not taken. What is declared in front
// of the branch, or lives longer, keeps its value there.
// CHECK-LABEL: function own(
// CHECK: %[[IS:.*]] = arith.cmpf ogt
// CHECK: for [[K:.*]] = 0 to n
// CHECK: %[[D:.*]] = arith.addf
// CHECK-NEXT: row[[[K]]] = %[[D]]
// CHECK-NEXT: for [[L:.*]] = 0 to n
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[OLD:.*]] = sums[[[L]]]
// CHECK-NEXT: %{{.*}} = arith.select %[[IS]], %[[SUM]], %[[OLD]] : f64 : f64
void own(int n, int m, const double a[n], const double c[m], double s[m]) {
  double sums[n];
  for (int k = 0; k < n; k++) sums[k] = 0;
  for (int i = 0; i < m; i++) {
    if (c[i] > 0) {
      double row[n];
      for (int k = 0; k < n; k++) row[k] = a[k] + a[k];
      for (int k = 0; k < n; k++) sums[k] += row[k];
    }
    s[i] = sums[0];
  }
}
// CHECK-LABEL: function lasting(
// CHECK: %{{.*}} = arith.select
// CHECK-NEXT: s[i] = %
// CHECK-NEXT: %[[WAS:.*]] = lasting.last
// CHECK-NEXT: %[[NOW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[WAS]] : f64 : f64
// CHECK-NEXT: lasting.last = %[[NOW]]
void lasting(int n, const double *c, double *s) {
  for (int i = 0; i < n; i++) {
    s[i] = 0;
    if (c[i] > 0) { static double last; s[i] += last; last = c[i]; }
  }
}

// What lies between the first element and one that is read in any case is there, behind it nothing has to be.
// CHECK-LABEL: function before(
// CHECK-NOT: choose
// CHECK: %{{.*}} = arith.select
void before(int n, const double *x, double *s) {
  for (int i = 1; i < n; i++) s[i] = x[i] > 0 ? x[i - 1] : 1;
}
// CHECK-LABEL: function behind(
// CHECK: choose
void behind(int n, const double *x, double *s) {
  for (int i = 1; i < n; i++) s[i] = x[i] > 0 ? x[i + 1] : 1;
}
