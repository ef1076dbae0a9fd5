/* C in the ways that people write it. Before each function stands how it is called, or why it stays in C.

   `d[64]` is an array of doubles (f: float, i: int, u: unsigned, l: long, b: bytes, w: short), `n` an int that takes all
   sizes (m: at least 1, k: 0 to 5, zn: size_t, zm: that and at least 1, un: unsigned, ln: long, x: double, t: bool). */
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
#include <math.h>
#include <limits.h>
// walk1(d[64], d[64], n)
void walk1(double *d, const double *s, int n) { while (n--) *d++ = *s++ * 2; }
// walk2(d[64], d[64], n)
void walk2(double *d, const double *s, int n) { const double *e = s + n; while (s != e) *d++ += *s++; }
// walk3(d[64], n)
void walk3(double *d, int n) { double *p = d + n; while (p > d) *--p *= 0.5; }
// do1(d[64], m)
void do1(double *d, int n) { int i = 0; do { d[i] = i; } while (++i < n); }
// do2(d[64], n)
void do2(double *d, int n) { if (n > 0) { double *p = d; do *p++ = 3; while (--n); } }
// goto1(d[64], n) -> i
int goto1(const double *d, int n) { int i; for (i = 0; i < n; i++) if (d[i] > 0.9) goto out; i = -1; out: return i; }
// refused: goto2: the loop's condition is not a conjunction of bounds
void goto2(double *d, int n) { for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { if (j == i) goto next; d[j] += i; } next:; } }
// comma1(d[64], n)
void comma1(double *d, int n) { int i, j; for (i = 0, j = n - 1; i < j; i++, j--) d[i] += d[j], d[j] = 1; }
// tern1(d[64], d[64], n)
void tern1(double *d, double *s, int n) { for (int i = 0; i < n; i++) d[i] = i ? s[i] > 0.5 ? s[i] : -s[i] : 7; }
// down1(d[64], zn)
void down1(double *d, size_t n) { for (size_t i = n; i-- > 0;) d[i] = d[i] * 2 + i; }
// refused: down2: the loop does not count towards its bound
void down2(double *d, size_t n) { for (size_t i = n - 1; i < n; i--) d[i] = i; }
// down3(d[64], zn)
void down3(double *d, size_t n) { for (size_t i = n; i; --i) d[i - 1] = d[i - 1] + i; }
// down4(d[64], zn)
void down4(double *d, size_t n) { while (n-- != 0) d[n] = n; }
// uchar1(b[64], b[64], n)
void uchar1(unsigned char *d, const unsigned char *s, int n) { for (int i = 0; i < n; i++) d[i] = (s[i] + d[i]) / 2; }
// uchar2(b[64], b[64], n)
void uchar2(unsigned char *d, const unsigned char *s, int n) { for (int i = 0; i < n; i++) d[i] += s[i] * 3 >> 1; }
// uchar3(b[64], b[64], n)
void uchar3(unsigned char *d, const unsigned char *s, int n) { for (int i = 0; i < n; i++) { int v = s[i] * 2 - 100; d[i] = v < 0 ? 0 : v > 255 ? 255 : v; } }
// uchar4(b[64], n)
void uchar4(unsigned char *d, unsigned char n) { for (unsigned char i = 0; i < n; i++) d[i] = ~i; }
static inline double sq(double x) { return x * x; }
static inline void axpy1(double *y, double a, double x) { *y += a * x; }
// inl1(d[64], d[64], n)
void inl1(double *d, double *s, int n) { for (int i = 0; i < n; i++) axpy1(&d[i], sq(s[i]), 2.0); }
#define FOR(i, n) for (int i = 0; i < (n); ++i)
#define SWAP(T, a, b) do { T t_ = (a); (a) = (b); (b) = t_; } while (0)
// mac1(d[64], d[64], n)
void mac1(double *d, double *s, int n) { FOR(i, n) { SWAP(double, d[i], s[i]); } }
// mac2(d[64], d[64], n)
void mac2(double *d, double *s, int n) { FOR(i, n) FOR(j, i) d[i] += s[j]; }
// res1(d[64], d[64], n)
void res1(double *restrict d, const double *restrict s, int n) { for (int i = 0; i < n; i++) d[i] = s[n - 1 - i]; }
// vla1(8, 8, d[64], d[64])
void vla1(int n, int m, double a[n][m], double b[m][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]; }
// vla2(m, d[64])
void vla2(int n, double *a) { double t[n][2]; for (int i = 0; i < n; i++) t[i][0] = a[i], t[i][1] = -a[i]; for (int i = 0; i < n; i++) a[i] = t[n - 1 - i][1] + t[i][0]; }
// vla3(8, d[64])
void vla3(int n, double *flat) { double (*a)[n] = (double (*)[n])flat; for (int i = 0; i < n; i++) a[i][i] += 1; }
// lit1(d[64], n)
void lit1(double *d, int n) { const double *w = (double[]){0.25, 0.5, 0.25}; for (int i = 1; i + 1 < n; i++) { double s = 0; for (int k = -1; k <= 1; k++) s += w[k + 1] * d[i + k]; d[i + 32] = s; } }
struct vec { double x, y, z; };
// lit2(d[64], n)
void lit2(double *d, int n) { for (int i = 0; i < n; i++) { struct vec v = (struct vec){.x = d[i], .z = 2}; d[i] = v.x + v.y + v.z; } }
// desig1(d[64], n)
void desig1(double *d, int n) { double t[8] = {[1] = 1, [5] = 2, 3}; for (int i = 0; i < n && i < 8; i++) d[i] = t[i]; }
enum { ROWS = 4, COLS = ROWS * 2 };
// enum1(d[64], d[64])
void enum1(double a[ROWS][COLS], double b[COLS][ROWS]) { for (int i = 0; i < ROWS; i++) for (int j = 0; j < COLS; j++) b[j][i] = a[i][j]; }
// bool1(d[64], n, t)
void bool1(double *d, int n, bool f) { for (int i = 0; i < n; i++) { if (f) d[i] = 1; else d[i] += 2; } }
// bool2(d[64], b[64], n)
void bool2(double *d, bool *f, int n) { for (int i = 0; i < n; i++) f[i] = d[i]; }
// bool3(d[64], n) -> i
int bool3(double *d, int n) { bool any = false; for (int i = 0; i < n; i++) any |= d[i] > 0.5; return any; }
int bool4(double *d, int n) { bool all = true; for (int i = 0; i < n && all; i++) if (d[i] > 0.5) all = false; return all; }
static const float table[16] = {1, 2, 3, 5, 8, 13, 21, 34};
// tab1(d[64], n)
void tab1(double *d, int n) { for (int i = 0; i < n && i < 16; i++) d[i] *= table[i]; }
// tab2(b[64], n)
void tab2(unsigned char *d, int n) { static const unsigned char hex[] = "0123456789abcdef"; for (int i = 0; i < n && i < 16; i++) d[i] = hex[i]; }
// tab3(b[64], b[64], n)
void tab3(unsigned char *d, const unsigned char *s, int n) { static const unsigned char hex[] = "0123456789abcdef"; for (int i = 0; i < n; i++) d[i] = hex[s[i] & 15]; }
// switch1(d[64], n, k)
void switch1(double *d, int n, int k) { for (int i = 0; i < n; i++) switch (k) { case 0: d[i] = 0; break; case 1: d[i] += 1; case 2: d[i] *= 2; break; default: continue; } }
// switch2(d[64], i[64], n)
void switch2(double *d, int *op, int n) { for (int i = 0; i < n; i++) switch (op[i] & 3) { case 0: d[i] = 0; break; case 1: d[i] += 1; break; default: d[i] = -d[i]; } }
// switch3(d[64], n)
void switch3(double *d, int n) { for (int i = 0; i < n; i++) switch (i % 4) { case 0: d[i] = 0; break; case 3: d[i] = 3; } }
// early1(d[64], n) -> i
int early1(double *d, int n) { if (n <= 0 || !d) return -1; if (n == 3) return 5; for (int i = 0; i < n; i++) d[i] = 0; return n; }
// refused: early2: returns from inside of a loop
double early2(double *d, int n) { double s = 0; for (int i = 0; i < n; i++) { s += d[i]; if (i == 5) return s * 2; } return s; }
// kr1(d[64], n)
void kr1(d, n) double *d; int n; { int i; for (i = 0; i < n; i++) d[i] = i; }
#define ABS(x) _Generic((x), int: abs_i, double: fabs, float: fabsf)(x)
static int abs_i(int x) { return x < 0 ? -x : x; }
// gen1(d[64], i[64], n)
void gen1(double *d, int *k, int n) { for (int i = 0; i < n; i++) { d[i] = ABS(d[i]); k[i] = ABS(k[i]); } }
#define likely(x) __builtin_expect(!!(x), 1)
// expect1(d[64], n)
void expect1(double *d, int n) { if (likely(n > 2)) for (int i = 0; i < n; i++) if (likely(d[i] > 0)) d[i] = 0; }
// attr1(d[64], n)
__attribute__((noinline, optimize("O3"))) void attr1(double *__restrict d, int n) { d = __builtin_assume_aligned(d, 8); _Pragma("GCC ivdep") for (int i = 0; i < n; i++) d[i] += 1; }
struct bits { unsigned a : 3, b : 5; int n; };
// refused: bit1: 'a' is a bit-field
void bit1(double *d, int n) { struct bits s = {n, n * 3, n}; for (int i = 0; i < s.n; i++) d[i] = s.a + s.b; }
struct flex { int n; double v[]; };
// refused: flex1: the loop's condition depends on data
void flex1(struct flex *f) { f->n = 7; for (int i = 0; i < f->n; i++) f->v[i] = i; }
// refused: ld1: long double is not supported
void ld1(double *d, int n) { long double s = 0; for (int i = 0; i < n; i++) s += d[i]; d[0] = (double)s; }
// refused: i128: integers of 128 bits are not supported
void i128(int64_t *d, int n) { for (int i = 0; i < n; i++) d[i] = (int64_t)(((__int128)d[i] * d[i]) >> 64); }
// refused: u128: integers of 128 bits are not supported
void u128(uint64_t *d, int n) { unsigned __int128 c = 1; for (int i = 0; i < n; i++) { c = c * d[i] + 7; d[i] = (uint64_t)(c >> 64) ^ (uint64_t)c; } }
// refused: half1: floats of 16 bits are not supported
void half1(_Float16 *d, _Float16 *s, int n) { for (int i = 0; i < n; i++) d[i] = d[i] * s[i] + (_Float16)1; }
// refused: half2: floats of 16 bits are not supported
void half2(_Float16 *d, float *s, int n) { for (int i = 0; i < n; i++) s[i] = d[i] * 2 + s[i]; }
// shift1(i[64], n)
void shift1(int *d, int n) { for (int i = 0; i < n; i++) d[i] = d[i] << 3 ^ d[i] >> 2; }
// shift2(u[64], n)
void shift2(unsigned *d, int n) { for (int i = 0; i < n; i++) d[i] = d[i] << (i & 31) | d[i] >> ((32 - i) & 31); }
// mod1(i[64], n)
void mod1(int *d, int n) { for (int i = 0; i < n; i++) d[i] = d[i] % 7 + d[i] / -3; }
// mod2(d[64], d[64], n)
void mod2(double *d, double *s, int n) { for (int i = 0; i < n; i++) d[i] = s[(i + 3) % (n ? n : 1)]; }
// mod3(d[64], n)
void mod3(double *d, int n) { for (int i = 0; i < n; i++) if (i % 2) d[i] = 1; else d[i / 2] += 1; }
// half_loop(d[64], n)
void half_loop(double *d, int n) { for (int i = 0; i < n / 2; i++) { double t = d[i]; d[i] = d[n - 1 - i]; d[n - 1 - i] = t; } }
void heads(double *d, double *s, int dim, int heads) { int hs = dim / heads; for (int h = 0; h < heads; h++) for (int i = 0; i < hs; i++) d[h * hs + i] = s[h * hs + i] * 2; }
// quot(d[64], zn)
void quot(double *d, size_t n) { for (size_t i = 0; i < n / 4; i++) { d[4 * i] = 0; d[4 * i + 3] += 1; } }
// unroll(d[64], d[64], n) -> d
double unroll(double *a, double *b, int n) { double s = 0; int i = 0; for (; i + 3 < n; i += 4) s += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3]; for (; i < n; i++) s += a[i] * b[i]; return s; }
// rowptr(d[64], d[64], 8)
void rowptr(double *a, double *x, int n) { for (int i = 0; i < n; i++) { double *row = a + i * n; double s = 0; for (int j = 0; j < n; j++) s += row[j]; x[i + 8] = s; } }
int arg_max(double *a, int n) { int k = 0; for (int i = 1; i < n; i++) if (a[i] > a[k]) k = i; return k; }
// neg_step(d[64], n)
void neg_step(double *d, int n) { for (int i = n - 1; i >= 0; i -= 3) d[i] = i; }
// short1(w[64], w[64], n)
void short1(short *d, short *s, int n) { for (int i = 0; i < n; i++) d[i] = d[i] * s[i]; }
// short2(w[64], n) -> i
int short2(short *d, short n) { short s = 0; for (short i = 0; i < n; i++) s += d[i]; return s; }
// unsg1(u[64], u[64], n) -> u
unsigned unsg1(unsigned *d, unsigned *s, int n) { unsigned h = 5381; for (int i = 0; i < n; i++) h = h * 33 + s[i]; return h; }
// mixed(u[64], i[64], n)
void mixed(unsigned *d, int *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] < d[i]; }
// fl1(f[64], f[64], n)
void fl1(float *d, float *s, int n) { for (int i = 0; i < n; i++) d[i] = d[i] * 0.1 + s[i] / 3; }
// fl2(f[64], n) -> f
float fl2(float *d, int n) { float m = -INFINITY; for (int i = 0; i < n; i++) m = fmaxf(m, d[i]); return m; }
// fl3(f[64], n) -> f
float fl3(float *d, int n) { float m = d[0]; for (int i = 1; i < n; i++) if (m < d[i]) m = d[i]; return m; }
// cast1(d[64], i[64], n)
void cast1(double *d, int *k, int n) { for (int i = 0; i < n; i++) { k[i] = (int)(d[i] * 10); d[i] = (float)d[i]; } }
// cast2(d[64], b[64], n)
void cast2(double *d, unsigned char *k, int n) { for (int i = 0; i < n; i++) k[i] = (signed char)(k[i] - 200); }
// stmt1(d[64], n)
void stmt1(double *d, int n) { for (int i = 0; i < n; i++) d[i] = ({ double t = d[i]; t > 0.5 ? t : 0.5; }); }
// cont1(d[64], n)
void cont1(double *d, int n) { for (int i = 0; i < n; i++) { if (i % 3 == 0) continue; if (d[i] < 0.3) continue; d[i] = 0; } }
// brk1(d[64], n)
void brk1(double *d, int n) { for (int i = 0; ; i++) { if (i >= n) break; d[i] = i; } }
// brk2(d[64], n)
void brk2(double *d, int n) { int i = 0; while (1) { if (i == n) break; d[i] = 2 * d[i]; i++; } }
// refused: inf0: returns from inside of a loop
void inf0(double *d, int n) { int i = 0; for (;;) { if (!(i < n)) return; d[i++] = 0; } }
// cnt(d[64], n) -> i
int cnt(double *d, int n) { int c = 0; for (int i = 0; i < n; i++) c += d[i] > 0.5; return c; }
// refused: compact: a subscript depends on data; it must be an affine function of loop variables and sizes
int compact(double *d, double *s, int n) { int k = 0; for (int i = 0; i < n; i++) if (s[i] > 0.5) d[k++] = s[i]; return k; }
// inc2(d[64], d[64], n)
void inc2(double *d, double *s, int n) { int k = 0; for (int i = 0; i < n / 2; i++) { d[k++] = s[i]; d[k++] = -s[i]; } }
// memop(d[64], d[64], n)
void memop(double *d, double *s, int n) { memset(d, 0, 8 * sizeof *d); if (n > 0) memcpy(d, s, n * sizeof(double)); }
// refused: strl: the loop's condition depends on data
int strl(const char *s) { int n = 0; while (n < 60 && s[n]) n++; return n; }
// ptrdiff(d[64], n) -> i
int ptrdiff(double *d, int n) { double *p = d; for (; p < d + n; p++) *p = p - d; return p - d; }
// two_d(d[64])
void two_d(double a[8][8]) { for (int i = 0; i < 8; i++) for (int j = 0; j < i; j++) { double t = a[i][j]; a[i][j] = a[j][i]; a[j][i] = t; } }
// neg_idx(d[64], n)
void neg_idx(double *d, int n) { double *p = d + 8; for (int i = -8; i < n; i++) p[i] = i; }
// uint_bound(d[64], un)
void uint_bound(double *d, unsigned n) { for (int i = 0; i < n; i++) d[i] = i; }
// long_idx(d[64], ln)
void long_idx(double *d, long n) { for (int i = 0; i < n; i++) d[i] = n - i; }
// xorsw(u[64], u[64], n)
void xorsw(unsigned *a, unsigned *b, int n) { for (int i = 0; i < n; i++) a[i] ^= b[i], b[i] ^= a[i], a[i] ^= b[i]; }
// horner(d[64], d[64], n) -> d
double horner(double *c, double *x, int n) { double r = 0; for (int i = n; i >= 0; --i) r = r * x[0] + c[i]; return r; }
// nestcond(d[64], n)
void nestcond(double *d, int n) { for (int i = 0; i < n; i++) { if (i < 3 && d[i] > 0.2 || !(n & 1)) d[i] = 4; else if (d[i] != d[i]) d[i] = 0; else ; } }
// prefix(d[64], n)
void prefix(double *d, int n) { double s = 0; for (int i = 0; i < n; i++) d[i] = s += d[i]; }
// chain(d[64], d[64], n)
void chain(double *d, double *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] = i; }
// stat(d[64], n)
void stat(double *d, int n) { double mean = 0, var = 0; for (int i = 0; i < n; i++) mean += d[i]; mean /= n ? n : 1; for (int i = 0; i < n; i++) { double t = d[i] - mean; var += t * t; } d[0] = mean; d[1] = var; }
// fact(n) -> l
long fact(int n) { long r = 1; while (n > 1) r *= n--; return r; }
// refused: gcd: the loop's condition depends on data
int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
// fibo(n) -> u
unsigned fibo(int n) { unsigned a = 0, b = 1; for (int i = 0; i < n; i++) { unsigned t = a + b; a = b; b = t; } return a; }
// chtoi(b[64], n) -> i
int chtoi(const char *s, int n) { int v = 0; for (int i = 0; i < n; i++) v = v * 10 + (s[i] - '0') % 10 & 0xffff; return v; }
// refused: boolidx: a subscript depends on data; it must be an affine function of loop variables and sizes
void boolidx(double *d, int n) { for (int i = 0; i < n; i++) d[i + (n > 4)] = i; }
// refused: fnptr: a pointer to a function is not supported
void fnptr(double *d, int n) { double (*f)(double) = n > 3 ? fabs : sqrt; for (int i = 0; i < n; i++) d[i] = f(d[i]); }
void fnptr2(double *d, int n) { double (*const f)(double) = sq; for (int i = 0; i < n; i++) d[i] = f(d[i]); }
// clampi(d[64], d[64], n)
void clampi(double *d, double *s, int n) { for (int i = 0; i < n; i++) { int l = i - 1 < 0 ? 0 : i - 1, r = i + 1 >= n ? n - 1 : i + 1; d[i] = s[l] + s[r]; } }
// int_min(i[64], n)
void int_min(int *d, int n) { for (int i = 0; i < n; i++) d[i] = -(unsigned)d[i]; }
// sizeof1(d[64])
void sizeof1(double *d) { int t[] = {3, 1, 4, 1, 5}; for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) d[i] = t[i]; }
// dowhile0(d[64], m)
void dowhile0(double *d, int n) { do { d[--n] = n; } while (n > 0); }
// refused: lbl: a label
void lbl(double *d, int n) { int i = 0; again: if (i < n) { d[i] = i; i++; goto again; } }
// err(d[64], n) -> i
int err(double *d, int n) { int rc = -1; if (n < 1) goto fail; for (int i = 0; i < n; i++) d[i] = 1; rc = 0; fail: return rc; }
