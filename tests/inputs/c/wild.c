/* Functions as they are found in libraries of all kinds, each for some habit of its author. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef REAL
#define REAL double
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, lo, hi) (MIN(MAX((x), (lo)), (hi)))
#define IDX(r, c) ((r) * stride + (c))

typedef REAL scalar_t;
typedef uint8_t pixel;

/* Audio: interleaved stereo to mono, with a gain in Q15. */
// run: stereo_to_mono(i16 in[24], i16 out[12], i32 frames = 12, i32 gain = 20000)
void stereo_to_mono(const int16_t *in, int16_t *out, int frames, int gain)
{
    while (frames-- > 0) {
        int32_t s = (in[0] + in[1]) >> 1;
        s = (s * gain + (1 << 14)) >> 15;
        *out++ = (int16_t)CLAMP(s, INT16_MIN, INT16_MAX);
        in += 2;
    }
}

/* Image: a row pitch in bytes, and YUV in three planes. */
// run: rgb_to_yuv(u8 rgb[4][30], u8 y[4][8], u8 u[4][8], u8 v[4][8], i32 w = 8, i32 h = 4, i32 pitch = 30)
void rgb_to_yuv(const pixel *rgb, pixel *y, pixel *u, pixel *v, int w, int h, int pitch)
{
    int row, col;
    for (row = 0; row < h; ++row, rgb += pitch) {
        for (col = 0; col < w; ++col) {
            int r = rgb[3 * col], g = rgb[3 * col + 1], b = rgb[3 * col + 2];
            y[row * w + col] = (pixel)((66 * r + 129 * g + 25 * b + 128 >> 8) + 16);
            u[row * w + col] = (pixel)((-38 * r - 74 * g + 112 * b + 128 >> 8) + 128);
            v[row * w + col] = (pixel)((112 * r - 94 * g - 18 * b + 128 >> 8) + 128);
        }
    }
}

/* Fortran's habit: arrays from 1, leading dimensions, column-major. */
// run: dgemv_fortran(i32 m = 5, i32 n = 4, real alpha, real a[4][6], i32 lda = 6, real x[4], real y[5])
void dgemv_fortran(int m, int n, scalar_t alpha, const scalar_t *a, int lda, const scalar_t *x, scalar_t *y)
{
    int i, j;
    a -= 1 + lda;
    --x;
    --y;
    for (j = 1; j <= n; ++j) {
        scalar_t t = alpha * x[j];
        for (i = 1; i <= m; ++i)
            y[i] += t * a[i + j * lda];
    }
}

/* Unrolled by four with the rest behind. */
// run: add_unrolled(real x[14], real y[14], u64 n = 14)
void add_unrolled(scalar_t *x, const scalar_t *y, size_t n)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        x[i] += y[i];
        x[i + 1] += y[i + 1];
        x[i + 2] += y[i + 2];
        x[i + 3] += y[i + 3];
    }
    for (; i < n; ++i)
        x[i] += y[i];
}

/* Control: a flag word that does not change, in a switch. */
static scalar_t activation(scalar_t x, unsigned kind)
{
    switch (kind) {
    case 0u:
        return x;
    case 1u:
        return x > 0 ? x : 0;
    case 2u: {
        scalar_t half = x / 2;
        return half * half;
    }
    default:
        break;
    }
    return -x;
}

// run: bias_activation(real x[4][5], real b[5], u32 kind = 1)
void bias_activation(scalar_t x[4][5], const scalar_t b[5], unsigned kind)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            x[i][j] = activation(x[i][j] + b[j], kind);
}

/* Tables of constants, and a macro that hides the subscript. */
static const scalar_t smooth3[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

// run: blur(real src[6][8], real dst[6][8], i32 rows = 6, i32 cols = 8, i32 stride = 8)
void blur(const scalar_t *restrict src, scalar_t *restrict dst, int rows, int cols, int stride)
{
    for (int r = 1; r + 1 < rows; r++)
        for (int c = 1; c + 1 < cols; c++) {
            scalar_t acc = 0;
            for (int dr = -1; dr <= 1; dr++)
                for (int dc = -1; dc <= 1; dc++)
                    acc += smooth3[dr + 1][dc + 1] * src[IDX(r + dr, c + dc)];
            dst[IDX(r, c)] = acc / 16;
        }
}

/* Finance: cumulative product backwards, as a do loop. */
// run: discount(real rate[9], real out[9], i32 n = 9)
void discount(const scalar_t *rate, scalar_t *out, int n)
{
    scalar_t factor = 1;
    int k = 0;
    do {
        factor = factor / (1 + rate[k] * rate[k]);
        out[n - 1 - k] = factor;
    } while (++k < n);
}

/* Statistics: one pass over pairs above the diagonal, in a packed triangle: few rows are unrolled. */
// run: few_packed_distances(real x[5][3], real d[10])
void few_packed_distances(const scalar_t x[5][3], scalar_t d[10])
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            d[(i * (i - 1)) / 2 + j] = fabs(x[i][0] - x[j][0]) + fabs(x[i][1] - x[j][1]) + fabs(x[i][2] - x[j][2]);
}

/* refused function: packed_distances */
void packed_distances(const scalar_t x[70][3], scalar_t d[2415])
{
    for (int i = 0; i < 70; i++)
        for (int j = 0; j < i; j++) {
            scalar_t s = 0;
            for (int k = 0; k < 3; k++)
                s += fabs(x[i][k] - x[j][k]);
            d[(i * (i - 1)) / 2 + j] = s; // refused: a subscript depends on data
        }
}
