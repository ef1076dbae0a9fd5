#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <math.h>
/* 1 overlap in every way */
void add(int n, const double *a, const double *b, double *c) { for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; }
/* 2 K&R, float by promotion, char */
void knr(a, n, x, c) double *a; int n; float x; char c; { int i; for (i = 0; i < n; i++) a[i] = a[i] * x + c; }
/* 3 static, inlined, function pointers */
static double dot(int n, const double *a, const double *b) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
double (*fp)(int, const double *, const double *) = dot;
/* 4 matrix of pitch, lda smaller than n violates rows */
void gemv(int n, int m, int lda, const double *A, const double *x, double *y) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i] += A[i * lda + j] * x[j]; }
/* 5 unsigned wrap */
void rev(unsigned n, int *a) { for (unsigned i = 0; i < n - 1; i++) a[i] = a[i + 1]; }
/* 6 struct by pointer and globals */
struct img { int w, h; float *px; float gain; };
void bright(struct img *im) { for (int y = 0; y < im->h; y++) for (int x = 0; x < im->w; x++) im->px[y * im->w + x] *= im->gain; }
int table[64]; int count = 64; 
void bump(int d) { for (int i = 0; i < count; i++) table[i] += d; }
/* 7 recursion */
long rsum(int depth, int n, const int *a) { long s = 0; for (int i = 0; i < n; i++) s += a[i]; return depth ? s + rsum(depth - 1, n / 2, a) : s; }
/* 8 loops in a larger function, changes a number and a pointer, register, macros */
#define FOR(i, n) for (i = 0; i < (n); i++)
unsigned long work(int n, int *a, FILE *f) {
  register unsigned long s = 0; register int i; int t = 3; int *p = a; int k[4] = {1, 2, 3, 4};
  FOR(i, n) s += a[i];
  fprintf(f, "sum %lu\n", s);
  for (i = 0; i < n; i++) a[i] = a[i] + t;
  if (n > 3) for (i = 0; i < 4; i++) k[i] *= n;
  fprintf(f, "i %d k %d\n", i, k[2]);
  while (p < a + n) { s = s * 31 + *p; p++; }
  fprintf(f, "p %d s %lu\n", (int)(p - a), s);
  for (i = n - 1; i >= 0; i--) { if (a[i] > 10) t++; }
  fprintf(f, "t %d i %d\n", t, i);
  return s;
}
/* 9 vla, short types, saturation, shifts, bool */
void blur(int h, int w, uint8_t (*d)[w], const uint8_t (*s)[w]) { for (int y = 1; y < h - 1; y++) for (int x = 1; x < w - 1; x++) d[y][x] = (s[y][x-1] + 2 * s[y][x] + s[y][x+1] + s[y-1][x] + s[y+1][x]) / 6; }
void mix16(int n, short *d, const short *s, int g) { for (int i = 0; i < n; i++) { int v = d[i] + ((s[i] * g) >> 8); d[i] = v > 32767 ? 32767 : v < -32768 ? -32768 : v; } }
void cpy(int n, int *d, const int *s) { for (int i = 0; i < n; i++) d[i] = s[i]; }
/* 10 a size without a sign, which is all that is asked of the arguments */
unsigned long usum(const uint8_t *a, unsigned long n, unsigned long s) { for (unsigned long i = 0; i < n; i++) s += a[i]; return s; }
/* 11 rounding, for which every x86-64 has no instruction */
void even(int n, const double *a, double *b) { for (int i = 0; i < n; i++) b[i] = rint(a[i]); }
void evenf(int n, const float *a, int *b) { for (int i = 0; i < n; i++) b[i] = lrintf(a[i] * 0.5f); }
void contrast(int n, uint8_t *p, float c, int b) { for (int i = 0; i < n; i++) { int v = (int)(c * (p[i] - 128) + 128 + b); if (v < 0) v = 0; if (v > 255) v = 255; p[i] = v; } }
/* 12 what holds at the numbers of the file, and not at all others */
void torus(int a[12][12], int b[12][12]) { for (int r = 0; r < 12; r++) for (int c = 0; c < 12; c++) { int s = 0;
  for (int y = -1; y < 2; y++) for (int x = -1; x < 2; x++) if (x != 0 && y != 0 && a[(r + y + 12) % 12][(c + x + 12) % 12] == 1) s++;
  b[r][c] = s; } }
/* 13 a table of constants in a function, which the compiler's object does not name */
void coded(int n, double *o) {
  static const struct { double a; short b; } steps[70] = {{1, 2}, {4, -8}, [9] = {3, 7}, [69] = {4, -8}};
  for (int i = 0; i < 70; i++) o[i] += steps[i].a * n + steps[i].b; }
