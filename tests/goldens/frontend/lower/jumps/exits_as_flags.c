// RUN: core --with-exits-as-flags %s | filecheck %s

// A loop that is left by a return asks a flag; what stands behind it in the loop is done while the flag holds.
// CHECK-LABEL: function find(
// CHECK: let returned: bool = false
// CHECK: let go: bool = true
// CHECK: go = i < n
// CHECK-NEXT: while go
// CHECK: if x[i] < 0.0
// CHECK-NEXT: result = i
// CHECK-NEXT: returned = true
// CHECK-NEXT: go = false
// CHECK-NEXT: if go
// CHECK-NEXT: y[i] = x[i]
// CHECK: if returned
// CHECK-NEXT: return result
// CHECK-NEXT: return n
int find(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) { if (x[i] < 0) return i; y[i] = x[i]; }
  return n;
}

// A function without such a loop is left alone.
// CHECK-LABEL: function plain(
// CHECK-SAME: n: i32) i32
// CHECK-NEXT: return n
int plain(int n) { return n; }
