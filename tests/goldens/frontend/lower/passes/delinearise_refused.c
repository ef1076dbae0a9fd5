// RUN: not typed --delinearised %s | filecheck %s

// A product of two loop variables is no row of anything.
// CHECK: subscript i * k of 'a' is not affine, and no row length explains it
void product(float *a, int n) {
  for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) a[i * k] = 0;
}
