/* Loops as old and careful code has them: counting down, clamped at borders, through pointers, with builtins. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifndef REAL
#define REAL double
#endif

typedef REAL real;

static inline __attribute__((always_inline)) int at_least(int a, int b) { return a > b ? a : b; }

static inline int at_most(int a, int b) { return a < b ? a : b; }

// run: sum_down(real x[9], u64 n = 9) -> real
real sum_down(const real *x, size_t n)
{
    real s = 0;
    for (size_t r = n; r-- > 0;) s += x[r];
    return s;
}

// run: scaled_down(real x[9], real y[9], u32 n = 9)
void scaled_down(const real *__restrict__ x, real *__restrict__ y, unsigned n)
{
    for (unsigned i = n; i > 0; --i) y[i - 1] = 2 * x[i - 1];
}

// run: exponentials(f32 x[9], f32 y[9], i32 n = 9)
void exponentials(const float *__restrict__ x, float *__restrict__ y, int n)
{
    x = __builtin_assume_aligned(x, 64);
    if (__builtin_expect(n <= 0, 0)) return;
    for (int i = 0; i < n; i++) {
        __builtin_prefetch(x + i + 16, 0, 1);
        y[i] = __builtin_expf(x[i]) + __builtin_fabsf(x[i]);
    }
}

/* Borders: the last element goes on, is mirrored, or the first follows it. */
// run: smooth_replicated(real x[9], real y[9], i32 n = 9)
void smooth_replicated(const real *restrict x, real *restrict y, int n)
{
    for (int i = 0; i < n; i++) y[i] = x[i - 1 < 0 ? 0 : i - 1] + 2 * x[i] + x[i + 1 >= n ? n - 1 : i + 1];
}

// run: smooth_clamped(real x[9], real y[9], i32 n = 9)
void smooth_clamped(const real *restrict x, real *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        int l = at_most(at_least(i - 1, 0), n - 1), r = at_most(at_least(i + 1, 0), n - 1);
        y[i] = (x[l] + x[i] + x[r]) / 3;
    }
}

// run: smooth_mirrored(real x[9], real y[9], i32 n = 9)
void smooth_mirrored(const real *restrict x, real *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        int l = i - 1, r = i + 1;
        if (l < 0) l = -l;
        if (r >= n) r = 2 * n - 2 - r;
        y[i] = x[l] - 2 * x[i] + x[r];
    }
}

// run: advect_around(real x[9], real y[9], i32 n = 9, real c)
void advect_around(const real *restrict x, real *restrict y, int n, real c)
{
    for (int i = 0; i < n; i++) {
        int before = i == 0 ? n - 1 : i - 1;
        y[i] = x[i] - c * (x[i] - x[before]);
    }
}

// run: five_points(real s[5][7], real d[5][7], i32 h = 5, i32 w = 7)
void five_points(const real *restrict s, real *restrict d, int h, int w)
{
    for (int y = 0; y < h; y++) {
        const real *row = s + y * w;
        const real *up = s + (y > 0 ? y - 1 : 0) * w, *down = s + (y < h - 1 ? y + 1 : h - 1) * w;
        for (int x = 0; x < w; x++) {
            int l = x > 0 ? x - 1 : 0, r = x < w - 1 ? x + 1 : w - 1;
            d[y * w + x] = up[x] + down[x] + row[l] + row[r] - 4 * row[x];
        }
    }
}

/* Stores by cases, as mirrored writes have them. */
// run: folded(real x[8], real y[4], i32 n = 4)
void folded(const real *restrict x, real *restrict y, int n)
{
    for (int i = 0; i < 2 * n; i++) y[i < n ? i : 2 * n - 1 - i] += x[i];
}

/* Bytes are compared as C has them, without a sign. */
// run: brightest(u8 s[5][6], u8 d[5], i32 h = 5, i32 w = 6)
void brightest(const uint8_t *restrict s, uint8_t *restrict d, int h, int w)
{
    for (int y = 0; y < h; y++) {
        uint8_t m = 0;
        for (int x = 0; x < w; x++) {
            uint8_t v = s[y * w + x];
            if (v > m) m = v;
        }
        d[y] = m;
    }
}

/* A moving mean: the end of x is where both loops end. */
// run: moving_mean(i32 n = 9, i32 k = 3, real x[9], real y[9])
void moving_mean(int n, int k, const real *restrict x, real *restrict y)
{
    for (int i = 0; i + k <= n; i++) {
        real s = 0;
        for (int j = i; j < i + k; j++) s += x[j];
        y[i] = s / k;
    }
}

/* A full convolution as it is usually written: every input adds to several outputs. */
// run: full_convolution(real a[7], i32 n = 7, real b[3], i32 m = 3, real c[9])
void full_convolution(const real *restrict a, int n, const real *restrict b, int m, real *restrict c)
{
    for (int i = 0; i < n + m - 1; i++) c[i] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) c[i + j] += a[i] * b[j];
}

/* As in the reference BLAS: zeros are skipped. */
// run: gemm_skipping(i32 n = 4, real a[4][4], real b[4][4], real c[4][4])
void gemm_skipping(int n, real a[n][n], real b[n][n], real c[n][n])
{
    for (int j = 0; j < n; j++)
        for (int l = 0; l < n; l++) {
            real t = b[l][j];
            if (t != 0)
                for (int i = 0; i < n; i++) c[i][j] += t * a[i][l];
        }
}
