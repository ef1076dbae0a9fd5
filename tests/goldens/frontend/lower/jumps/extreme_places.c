// RUN: core --with-places-apart %s | filecheck %s

// A loop that keeps the largest value and its place becomes two: one for the value, one for its place.
// CHECK-LABEL: function largest(
// CHECK-SAME: x: *const f64, n: i32) i32
// CHECK-NEXT: var best: f64 = x[0]
// CHECK-NEXT: var place: i32 = 0
// CHECK-NEXT: var i: i32 = 1
// CHECK-NEXT: let i_end: i32 = n
// CHECK-NEXT: let i_trips: i32 = i_end - 1
// CHECK-NEXT: let best_start: f64 = best
// CHECK-NEXT: loop while i < n
// CHECK-NEXT: if x[i] > best
// CHECK-NEXT: best = x[i]
// CHECK-NEXT: step
// CHECK-NEXT: i = i + 1
// CHECK-NEXT: let i_place: i32 = i_trips
// CHECK-NEXT: let i_at: i32 = 0
// CHECK-NEXT: loop while i_at < i_trips
// CHECK-NEXT: let i_index: i32 = 1 + i_at
// CHECK-NEXT: let i_here: i32 = (x[i_index] == best) ? i_at : i_trips
// CHECK-NEXT: i_place = (i_here < i_place) ? i_here : i_place
// CHECK-NEXT: step
// CHECK-NEXT: i_at = i_at + 1
// CHECK-NEXT: place = ((i_place < i_trips) && (best > best_start)) ? (1 + i_place) : place
// CHECK-NEXT: return place
int largest(const double *x, int n) {
  double best = x[0];
  int place = 0;
  for (int i = 1; i < n; i++) if (x[i] > best) { best = x[i]; place = i; }
  return place;
}
