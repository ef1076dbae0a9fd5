/* Integer arithmetic with widening, wrapping and shifting. */
#include <stdint.h>

// run: dot_s8(i8 a[32], i8 b[32], i32 n = 32) -> i32
int32_t dot_s8(const int8_t *a, const int8_t *b, int n)
{
    int32_t acc = 0;
    for (int i = 0; i < n; i++)
        acc += (int32_t)a[i] * (int32_t)b[i];
    return acc;
}

/* Activations without sign, weights with sign. */
// run: dot_u8s8(u8 a[32], i8 w[32]) -> i32
int dot_u8s8(const uint8_t a[32], const int8_t w[32])
{
    int acc = 0;
    for (int i = 0; i < 32; i++)
        acc += a[i] * w[i];
    return acc;
}

// run: dot_s16(i16 a[20], i16 b[20], i32 n = 20) -> i64
int64_t dot_s16(const short *a, const short *b, int n)
{
    int64_t acc = 0;
    for (int i = 0; i < n; i++)
        acc += (int64_t)a[i] * b[i];
    return acc;
}

/* A quantised layer: bytes in, 32-bit sums, bytes out. */
// run: qgemm(i8 A[5][12], i8 B[7][12], i32 bias[7], i32 C[5][7])
void qgemm(int8_t A[5][12], int8_t B[7][12], int32_t bias[7], int32_t C[5][7])
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++) {
            int32_t s = bias[j];
            for (int k = 0; k < 12; k++)
                s += A[i][k] * B[j][k];
            C[i][j] = s;
        }
}

// run: requantise(i32 acc[20], i8 out[20], i32 n = 20, i32 mult = 1300, i32 shift = 12)
void requantise(const int32_t *acc, int8_t *out, int n, int mult, int shift)
{
    for (int i = 0; i < n; i++) {
        int v = (acc[i] * mult + (1 << (shift - 1))) >> shift;
        v = v > 127 ? 127 : v;
        v = v < -128 ? -128 : v;
        out[i] = (int8_t)v;
    }
}

/* Fixed point with 15 fractional bits. */
// run: scale_q15(i16 x[24], i16 gain = 12345, i32 n = 24)
void scale_q15(int16_t *x, int16_t gain, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (int16_t)(((int32_t)x[i] * gain + 0x4000) >> 15);
}

// run: sum_bytes(u8 p[50], u64 n = 50) -> u64
uint64_t sum_bytes(const uint8_t *p, uint64_t n)
{
    uint64_t s = 0;
    for (uint64_t i = 0; i < n; i++)
        s += p[i];
    return s;
}

/* A polynomial hash: unsigned arithmetic wraps. */
// run: hash31(u8 s[20], i32 n = 20) -> u32
unsigned hash31(const unsigned char *s, int n)
{
    unsigned h = 5381u;
    for (int i = 0; i < n; i++)
        h = h * 31u + s[i];
    return h;
}

// run: xor_fold(u32 w[16]) -> u32
uint32_t xor_fold(const uint32_t w[16])
{
    uint32_t x = 0;
    for (int i = 0; i < 16; i++)
        x ^= w[i];
    return x;
}

// run: mask_low(u32 w[16], u32 out[16])
void mask_low(const uint32_t *w, uint32_t *out)
{
    for (int i = 0; i < 16; i++)
        out[i] = (w[i] & 0xffffu) | (w[i] << 16);
}

/* Division and remainder of negative numbers go towards zero. */
// run: div_mod(i32 x[20], i32 q[20], i32 r[20])
void div_mod(const int *x, int *q, int *r)
{
    for (int i = 0; i < 20; i++) {
        q[i] = x[i] / 7;
        r[i] = x[i] % 7;
    }
}

// run: gcd_free_lcm_table(i64 t[6][8])
void gcd_free_lcm_table(int64_t t[6][8])
{
    for (long i = 0; i < 6; i++)
        for (long j = 0; j < 8; j++)
            t[i][j] = (i + 1) * (j + 1);
}

// run: matmul_i64(i64 A[4][5], i64 B[5][6], i64 C[4][6])
void matmul_i64(int64_t A[4][5], int64_t B[5][6], int64_t C[4][6])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) {
            C[i][j] = 0;
            for (int k = 0; k < 5; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}

/* Pairs of nibbles: two 4-bit weights in a byte. */
// run: unpack_nibbles(u8 packed[10], i8 out[20])
void unpack_nibbles(const uint8_t *packed, int8_t *out)
{
    for (int i = 0; i < 10; i++) {
        out[2 * i] = (int8_t)((packed[i] & 15) - 8);
        out[2 * i + 1] = (int8_t)((packed[i] >> 4) - 8);
    }
}
