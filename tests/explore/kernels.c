/* What the page has to show: a nest that becomes a product, a loop that needs its own last iteration, one of C's. */
void product(int n, double *restrict c, const double a[restrict n][n], const double *restrict b) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[i][j] * b[j];
    c[i] = sum;
  }
}

void running(int n, double *restrict a, const double *restrict b) {
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] * b[i] + 1.0;
}

int seven(int n, int *p) {
  int i = 0;
  while (p[i] != 7 && i < n)
    p[i++] *= 3;
  return i;
}
