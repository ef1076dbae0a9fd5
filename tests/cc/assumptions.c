/* Functions whose raised code assumes something of the arguments, which the programs in `assumed.c` break. */
#include <stddef.h>
#include <stdint.h>
double level[256];
static void halve(int n, const uint16_t *a, uint16_t *b) { for (int i = 0; i < n; i++) b[i] = a[i] >> 1; }
void halves(int n, const uint16_t *a, uint16_t *b) { halve(n, a, b); }
void add(int n, const double *a, const double *b, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; }
void mul(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void fill(int n, int m, int lda, int *a, const int *b) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * lda + j] += b[j];
}
void wrap(unsigned n, unsigned o, int *a) { for (unsigned i = 5; i < n; i++) a[i + o] = 3 * a[i + o] + 1; }
void smooth(int n, const int *a, int *b) { for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3; }
void levels(int m, int n, double *a) { for (int r = 0; r < m; r++) for (int i = 0; i < n; i++) a[r * n + i] += level[i]; }
int larger(int n, int *a, int *b) {
  int s = 0;
  if (n & 1) return -1;
  for (int i = 0; i < n; i++) b[i] = a[i] ^ 21;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
void bytes(size_t n, uint8_t *d, const uint8_t *s) { for (size_t i = 0; i < n; i++) d[i] = (uint8_t)(s[i] + 7); }
void turned(int n, const float *a, float *b) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i * n + j] = a[j * n + i]; }
void given(int n, const int *a, int *b, int *sums) {
  if (a == NULL || !b) return;
  for (int i = 0; i < n; i++) { b[i] = 2 * a[i]; if (sums) sums[i] = a[i] + b[i]; }
}
struct text { unsigned char w[96]; };
struct line { int n; struct text *next; unsigned char w[96]; };
void counted(const struct line *l, int *x) { for (int i = 0; i < l->n; i++) x[i] = 3 * i; }
void behind(const struct line *l, unsigned char *x) { for (int i = 0; i < 96; i++) x[i] = l->next->w[i]; }
void rows(int n, int k, int x[30][8]) { for (int i = 0; i < n; i++) for (int j = k; j < 8; j++) x[i][j] = 3 * i; }
void without(int n, int m, int *restrict x, int (*restrict a)[m]) {
  for (int i = 0; i < n; i++) { x[i] = 7; for (int j = 0; j < m; j++) x[i] = (j ? x[i] : 0) + a[i][j]; }
}
