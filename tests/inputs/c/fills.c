/* Loops that only store. */
#include <stdint.h>
#include <stddef.h>

#define BINS 16
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

typedef struct { int unused; } padding_t;

// run: clear_bins(i32 h[4][16])
void clear_bins(int h[4][BINS])
{
    for (int c = 0; c < 4; c++)
        for (int b = 0; b < BINS; b++)
            h[c][b] = 0;
}

// run: zero_bytes(u8 p[30], u64 n = 30)
void zero_bytes(unsigned char *p, size_t n)
{
    unsigned char *q = p + n;
    while (q != p)
        *--q = 0;
}

// run: zero_anything(u8 p[30], u64 n = 30)
void zero_anything(void *p, size_t n)
{
    unsigned char *q = p;
    for (size_t i = 0; i < n; i++)
        q[i] = 0;
}

// run: iota(i32 x[20], i32 n = 20)
void iota(int *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = i;
}

// run: ramp(f32 x[20], f32 from, f32 step)
void ramp(float x[20], float from, float step)
{
    for (int i = 0; i < 20; i++)
        x[i] = from + i * step;
}

// run: checkerboard(u8 p[6][8])
void checkerboard(uint8_t p[6][8])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++)
            p[i][j] = (i + j) % 2 ? 255 : 0;
}

// run: band(f64 A[8][8], f64 d, f64 e)
void band(double A[8][8], double d, double e)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            if (i == j)
                A[i][j] = d;
            else if (i == j + 1 || j == i + 1)
                A[i][j] = e;
            else
                A[i][j] = 0;
        }
}

// run: fill_backwards(f32 x[12], f32 v)
void fill_backwards(float *x, float v)
{
    int i = 12;
    do {
        x[--i] = v;
    } while (i > 0);
}

/* Every third element, the loop's step. */
// run: every_third(f64 x[20])
void every_third(double x[20])
{
    for (int i = 1; i < 20; i += 3)
        x[i] = -1.0;
}

// run: copy_words(u32 dst[16], u32 src[16], i32 n = 16)
void copy_words(uint32_t *dst, const uint32_t *src, int n)
{
    for (; n > 0; n--)
        *dst++ = *src++;
}

// run: local_table(i32 out[6])
void local_table(int out[6])
{
    int table[6];
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
        table[i] = (int)(i * i);
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
        out[i] = table[5 - i];
}
