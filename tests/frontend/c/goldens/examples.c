void gemm(int n, double A[n][n], const double *restrict b, float *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i * n + j] += 2 * A[i][j] * b[j];
}
static inline int least(int a, int b) { return a < b ? a : b; }
int copy(char *d, const char *s, unsigned n, int m) {
  int k = 0;
  while (k < least(m, 100) && n--) { *d++ = *s++; k++; }
  return k > 3;
}
typedef struct { double *w; int rows, cols; } Mat;
struct Layer { Mat m; float bias[4]; };
void layer(struct Layer *l, double **out, const Mat in) {
  for (int i = 0; i < l->m.rows; ++i) out[i][0] = l[1].m.w[i * in.cols] + l->bias[i];
}
int classify(const short *x, int n, unsigned char *out) {
  int bad = 0;
  for (int i = 0; i < n; i++) {
    if (!x[i]) continue;
    switch (x[i] & 3) {
      case 1: out[i] += 1; break;
      case 2: bad++;            /* falls through */
      default: out[i] = x[i] > 0 && bad < 7;
    }
    if (bad > 10) break;
  }
  return bad;
}
static const double w[3] = {1, 2};
double total;
void f(int n, int m, double a[n][m]) {
  static int count = 1;
  double t[m + 1];
  m = 2;
#pragma scop
  for (int i = n - 1; i >= 0; i--) { t[0] = w[i % 3]; total += a[i][1] * t[0]; }
#pragma endscop
  __asm__("nop"); count++;
}
