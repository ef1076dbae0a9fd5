// RUN: core --with-flags-as-exits %s | filecheck %s

// A flag in the condition of a loop, set in a branch, is a break.
// CHECK-LABEL: function first(
// CHECK-SAME: x: *const f64, n: i32) i32
// CHECK-NEXT: var found: i32 = 0
// CHECK-NEXT: var i: i32
// CHECK-NEXT: i = 0
// CHECK-NEXT: loop while i < n
// CHECK-NEXT: if x[i] < 0.0
// CHECK-NEXT: found = 1
// CHECK-NEXT: break
// CHECK-NEXT: step
// CHECK-NEXT: i = i + 1
// CHECK-NEXT: if found != 0
// CHECK-NEXT: i = i + 1
// CHECK-NEXT: return i
int first(const double *x, int n) {
  int found = 0, i;
  for (i = 0; i < n && !found; i++) if (x[i] < 0) found = 1;
  return i;
}
