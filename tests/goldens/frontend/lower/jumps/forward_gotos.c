// RUN: core --without-gotos --unused-labels-dropped %s | filecheck %s

// What a forward goto leaves out goes into the other side of a branch.
// CHECK-LABEL: function skip(
// CHECK-SAME: x: *f64, n: i32) void
// CHECK-NEXT: if n > 8
// CHECK-NEXT: else
// CHECK-NEXT: x[0] = 1.0
// CHECK-NEXT: x[1] = 2.0
void skip(double *x, int n) {
  if (n > 8) goto end;
  x[0] = 1;
end:
  x[1] = 2;
}
