/* memset, memcpy and endless loops that leave first, as code is found that clears, shifts and saves. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef float mat[4][6];

/* An accumulator that starts at zero, and its first half from elsewhere. */
// run: clear_copy(f32 d[16], f32 s[16], i32 n = 16)
void clear_copy(float *d, const float *s, int n)
{
    memset(d, 0, n * sizeof *d);
    memcpy(d, s, sizeof(float) * 8);
}

/* One level of a Haar transform, through a buffer. */
// run: haar_level(f32 x[16], f32 t[16])
void haar_level(float *x, float *t)
{
    for (int h = 0; h < 8; h++) {
        t[h] = (x[2 * h] + x[2 * h + 1]) * 0.5f;
        t[h + 8] = (x[2 * h] - x[2 * h + 1]) * 0.5f;
    }
    memcpy(x, t, 16 * sizeof(*x));
}

/* Rows moved down by one. */
// run: rows_down(f64 A[5][7], f64 B[5][7], i32 n = 5, i32 m = 7)
void rows_down(double *A, const double *B, int n, int m)
{
    for (int i = 1; i < n; i++)
        memcpy(A + i * m, B + (i - 1) * m, m * sizeof(double));
}

/* Bytes that make numbers of other widths. */
// run: fill_bytes(i16 x[9], u8 y[9], i32 z[9], u64 n = 9)
void fill_bytes(int16_t *x, uint8_t *y, int32_t *z, size_t n)
{
    memset(x, -1, n * sizeof(int16_t));
    memset(y, 0x80, n);
    memset(z, 1, n * sizeof(*z));
}

/* A byte that is computed: C cuts it off. */
// run: fill_rows(u8 x[48], i32 n = 5, i32 dc = 700)
void fill_rows(uint8_t *x, int n, int dc)
{
    for (int i = 0; i < n; i++)
        memset(x + 8 * i, dc + i, 6);
    memset(x + 42, x[3], 6);
}

/* A local matrix cleared as a whole, and rows of it copied. */
// run: upper_rows(f32 x[24])
void upper_rows(float *x)
{
    mat m;
    memset(m, 0, sizeof(m));
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 6; j++)
            m[i][j] = x[i * 6 + j];
    memcpy(x, m[1], 6 * sizeof(float));
    memcpy(x + 6, &m[2][0], sizeof(m[2]));
}

/* Whole matrices, parts of rows, and the address of a row. */
// run: copy_matrix(f32 a[4][6], f32 b[4][6])
void copy_matrix(mat a, mat b)
{
    memcpy(a, b, sizeof(mat));
    memset(b[2], 0, sizeof(float) * 3);
    memset(&b[1], 0, sizeof(b[1]));
}

// run: split_fill(u8 x[8], i32 n = 3)
void split_fill(uint8_t *x, int n)
{
    memset(x + n, 255, 8 - n);
    memset(x, 0, (size_t)n);
}

// run: returned_target(f32 x[8], f32 y[8])
void returned_target(float *x, float *y)
{
    float *p = memmove(x, y, 32);
    p[0] = 1;
}

/* Loops without an end that leave first. */
// run: leave_first(f32 x[8])
void leave_first(float *x)
{
    int i = 0;
    for (;;) {
        if (i >= 8)
            break;
        x[i] = i;
        i++;
    }
}

// run: leave_at_end(f32 x[8], i32 n = 8)
void leave_at_end(float *x, int n)
{
    int i = 0;
    while (1) {
        if (i == n) {
            break;
        }
        x[i] *= 2;
        ++i;
    }
}

// run: leave_before_doing(f32 x[8], i32 n = 0)
void leave_before_doing(float *x, int n)
{
    do {
        if (n >= 8)
            break;
        x[n++] += 1;
    } while (1);
}

/* Beside the counter, a byte that wraps around. */
// run: wrapping_phase(u8 a[300])
void wrapping_phase(uint8_t *a)
{
    uint8_t k = 0;
    for (int i = 0; i < 300; i++) {
        a[i] = k;
        k += 7;
    }
}

/* refused function: within_one */
void within_one(int *x)
{
    memmove(x, x + 1, 2 * sizeof(int)); // refused: memmove within an array
}

/* refused function: half_an_element */
void half_an_element(int *x)
{
    memset(x, 0, 6); // refused: whole elements or rows of 4
}

/* refused function: float_bytes */
void float_bytes(float *x)
{
    memset(x, 1, 8); // refused: other than zero bytes
}

// run: reinterpreted(f32 x[2], i32 y[2])
void reinterpreted(float *x, const int *y)
{
    memcpy(x, y, 8);
}

/* refused function: of_other_size */
void of_other_size(float *x, const double *y)
{
    memcpy(x, y, 8); // refused: different sizes
}
