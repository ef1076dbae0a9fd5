/* More functions as they are found in libraries of all kinds, each for some habit of its author. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef REAL
#define REAL double
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))

typedef REAL scalar_t;

/* Physics: positions and velocities in one array of floats, a step of leapfrog. */
enum { X, Y, Z, VX, VY, VZ, FIELDS };

// run: kick_drift(real body[6][6], real f[6][3], real dt)
void kick_drift(scalar_t body[][FIELDS], scalar_t (*f)[3], scalar_t dt)
{
    for (int i = 0; i != 6; ++i) {
        for (int c = X; c <= Z; ++c) {
            body[i][VX + c] += f[i][c] * dt;
            body[i][X + c] += body[i][VX + c] * dt;
        }
    }
}

/* Checksums: unsigned arithmetic that wraps around on purpose. */
// run: fletcher(u8 data[20], u32 out[2])
void fletcher(const uint8_t *data, uint32_t *out)
{
    uint32_t a = 1, b = 0;
    for (const uint8_t *p = data; p != data + 20; ++p) {
        a = (a + *p) % 65521u;
        b = (b + a) % 65521u;
    }
    out[0] = b << 16 | a;
    out[1] = ~(b << 16 | a) + 1;
}

/* Bits: a mask per element, from signed comparisons. */
// run: branchless_abs(i32 x[16], i32 y[16])
void branchless_abs(const int *x, int *y)
{
    for (int i = 15; i >= 0; i -= 1) {
        const int mask = x[i] >> (sizeof(int) * CHAR_BIT - 1);
        y[i] = (x[i] + mask) ^ mask;
    }
}

/* Early return for nothing to do, and two results. */
// run: mean_and_variance(real x[11], i32 n = 11, real var[1]) -> real
scalar_t mean_and_variance(const scalar_t *x, int n, scalar_t *var)
{
    if (n <= 0)
        return 0;
    scalar_t m = 0, s = 0;
    for (int i = 0; i < n; i++)
        m += x[i];
    m /= n;
    for (int i = 0; i < n; i++)
        s += (x[i] - m) * (x[i] - m);
    *var = s / n;
    return m;
}

/* A ring of two rows, chosen by parity. */
// run: two_rows(real out[10], i32 steps = 4)
void two_rows(scalar_t *out, int steps)
{
    scalar_t buf[2][10];
    for (int i = 0; i < 10; i++)
        buf[0][i] = buf[1][i] = i == 5;
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < 9; i++)
            buf[(t + 1) % 2][i] = (buf[t % 2][i - 1] + buf[t % 2][i + 1]) / 2;
    for (int i = 0; i < 10; i++)
        out[i] = buf[steps % 2][i];
}

/* Half-open tiles with a minimum, as blocked code has them. */
// run: blocked_transpose(f32 a[10][7], f32 b[7][10], i32 n = 10, i32 m = 7)
void blocked_transpose(const float *a, float *b, int n, int m)
{
    for (int ii = 0; ii < n; ii += 4)
        for (int jj = 0; jj < m; jj += 4)
            for (int i = ii; i < MIN(ii + 4, n); i++)
                for (int j = jj; j < MIN(jj + 4, m); j++)
                    b[j * n + i] = a[i * m + j];
}

/* Signed remainders of negative numbers, and division that rounds to zero. */
// run: wrap_angles(i32 deg[12], i32 out[12])
void wrap_angles(const int deg[12], int out[12])
{
    for (int i = 0; i < 12; i++) {
        int d = deg[i] % 360;
        if (d < 0)
            d += 360;
        out[i] = d / 90 * 90 + (d - 180) / 7;
    }
}

/* The size of an element hidden behind void. */
// run: scale_bytes(u8 data[12], i32 n = 12)
void scale_bytes(void *data, int n)
{
    unsigned char *bytes = (unsigned char *)data;
    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)(bytes[i] * 3u / 4u);
}

/* Several loops that share their counter, and a bound that was computed before. */
// run: borders(real img[6][7], real v)
void borders(scalar_t img[6][7], scalar_t v)
{
    const int last_row = 6 - 1, last_col = 7 - 1;
    int i;
    for (i = 0; i <= last_col; i++)
        img[0][i] = img[last_row][i] = v;
    for (i = 1; i < last_row; i++)
        img[i][0] = img[i][last_col] = -v;
    img[i][0] *= 2;
}

/* A conditional sum, counted in an integer. */
// run: above(real x[15], real limit, i32 count[1]) -> real
scalar_t above(const scalar_t x[15], scalar_t limit, int *count)
{
    scalar_t sum = 0;
    *count = 0;
    for (int i = 0; i < 15; i++)
        if (x[i] > limit && x[i] < 2 * limit) {
            sum += x[i];
            ++*count;
        }
    return sum;
}

/* Complex numbers by hand, through a pointer to pairs. */
// run: rotate_pairs(real z[9][2], real c, real s)
void rotate_pairs(scalar_t (*z)[2], scalar_t c, scalar_t s)
{
    for (scalar_t(*p)[2] = z; p < z + 9; p++) {
        scalar_t re = (*p)[0], im = (*p)[1];
        (*p)[0] = c * re - s * im;
        (*p)[1] = s * re + c * im;
    }
}

/* Long products in a wider type, and back with rounding. */
// run: mul_q31(i32 a[8], i32 b[8], i32 r[8])
void mul_q31(const int32_t *a, const int32_t *b, int32_t *r)
{
    for (size_t i = 0; i < 8; i++) {
        int64_t p = (int64_t)a[i] * b[i];
        r[i] = (int32_t)((p + (1LL << 30)) >> 31);
    }
}

/* A step that is given by the caller. */
/* refused function: strided_copy */
void strided_copy(float *dst, const float *src, int n, int step)
{
    for (int i = 0; i < n; i += step) // refused: the loop's condition is not affine
        dst[i] = src[i];
}

// run: pooled(real x[12], real y[4])
void pooled(const REAL *x, REAL *y) {
  enum { SIZE = 12, STEP = 3, COUNT = (SIZE - STEP) / STEP + 1 };
  for (int o = 0; o < COUNT; o++) {
    y[o] = 0;
    for (int k = 0; k < STEP; k++) y[o] += x[o * STEP + k];
  }
}
