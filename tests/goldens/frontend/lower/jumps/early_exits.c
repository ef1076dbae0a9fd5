// RUN: core --without-early-exits %s | filecheck %s

// A loop that is left at the first index with a property: the least such index is a minimum, and the rest is guarded.
// CHECK-LABEL: function find(
// CHECK-SAME: x: *const f64, n: i32) i32
// CHECK-NEXT: var i: i32 = 0
// CHECK-NEXT: let i_end: i32 = n
// CHECK-NEXT: let i_least: i32 = n
// CHECK-NEXT: let i_at: i32 = 0
// CHECK-NEXT: loop while i_at < i_end
// CHECK-NEXT: let i_here: i32 = (x[i_at] < 0.0) ? i_at : i_end
// CHECK-NEXT: i_least = (i_here < i_least) ? i_here : i_least
// CHECK-NEXT: step
// CHECK-NEXT: i_at = i_at + 1
// CHECK-NEXT: return (i_least < i_end) ? i_least : n
// CHECK: assumed what the search reads behind the element at which it ends is there
int find(const double *x, int n) {
  for (int i = 0; i < n; i++) if (x[i] < 0) return i;
  return n;
}
