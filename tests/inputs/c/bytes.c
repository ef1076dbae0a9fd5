/* Images of unsigned bytes. */
#include <stdint.h>
#include <stdlib.h>

typedef uint8_t u8;

#define CLAMP255(v) ((v) < 0 ? 0 : (v) > 255 ? 255 : (v))

/* Alpha blending with the usual approximation of a division by 255. */
// run: blend(u8 dst[40], u8 src[40], u8 alpha = 77, i32 n = 40)
void blend(u8 *dst, const u8 *src, u8 alpha, int n)
{
    for (int i = 0; i < n; i++) {
        int t = src[i] * alpha + dst[i] * (255 - alpha) + 128;
        dst[i] = (u8)((t + (t >> 8)) >> 8);
    }
}

/* One alpha for each pixel of three channels. */
// run: blend_rgb(u8 dst[11][3], u8 src[11][3], u8 mask[11], i32 n = 11)
void blend_rgb(u8 *dst, const u8 *src, const u8 *mask, int n)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            dst[3 * i + c] = (mask[i] * src[3 * i + c] + (255 - mask[i]) * dst[3 * i + c]) / 255;
}

// run: rgb_to_grey(u8 grey[6][9], u8 rgb[6][9][3])
void rgb_to_grey(u8 grey[6][9], u8 rgb[6][9][3])
{
    for (int y = 0; y < 6; ++y)
        for (int x = 0; x < 9; ++x)
            grey[y][x] = (77 * rgb[y][x][0] + 150 * rgb[y][x][1] + 29 * rgb[y][x][2]) >> 8;
}

/* The same with floats, rounded by adding one half. */
// run: rgb_to_grey_float(u8 rgb[14][3], u8 grey[14], i32 n = 14)
void rgb_to_grey_float(const unsigned char *rgb, unsigned char *grey, int n)
{
    int i;
    for (i = 0; i < n; i++) {
        float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        grey[i] = (unsigned char)(0.299f * r + 0.587f * g + 0.114f * b + 0.5f);
    }
}

// run: invert(u8 p[30], i32 n = 30)
void invert(u8 *p, int n)
{
    while (n--) {
        *p = 255 - *p;
        p++;
    }
}

// run: threshold(u8 in[25], u8 out[25], i32 n = 25, u8 level = 100)
void threshold(const u8 *in, u8 *out, int n, u8 level)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] >= level ? 255 : 0;
}

// run: add_saturated(u8 a[25], u8 b[25], u8 out[25])
void add_saturated(const u8 a[25], const u8 b[25], u8 out[25])
{
    for (int i = 0; i < 25; i++) {
        int s = a[i] + b[i];
        out[i] = s > 255 ? 255 : s;
    }
}

/* Contrast and brightness; the result is cut off at both ends. */
// run: levels(u8 p[4][10], i32 gain = 300, i32 offset = -40)
void levels(u8 p[4][10], int gain, int offset)
{
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 10; x++) {
            int v = ((p[y][x] * gain) >> 8) + offset;
            p[y][x] = CLAMP255(v);
        }
}

/* Mean of four neighbours: half the width, half the height. */
// run: half_size(u8 in[8][12], u8 out[4][6])
void half_size(u8 in[8][12], u8 out[4][6])
{
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 6; x++)
            out[y][x] = (in[2 * y][2 * x] + in[2 * y][2 * x + 1] + in[2 * y + 1][2 * x] + in[2 * y + 1][2 * x + 1] + 2) / 4;
}

// run: box3(u8 in[7][9], u8 out[7][9])
void box3(u8 in[7][9], u8 out[7][9])
{
    for (int y = 1; y < 6; y++)
        for (int x = 1; x < 8; x++) {
            unsigned s = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    s += in[y + dy][x + dx];
            out[y][x] = s / 9;
        }
}

/* Sum of absolute differences of two blocks, as in video coders. */
// run: sad(u8 a[8][8], u8 b[8][16], i32 stride = 16) -> i32
int sad(const u8 *a, const u8 *b, int stride)
{
    int sum = 0;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            sum += abs(a[y * 8 + x] - b[y * stride + x]);
    return sum;
}

/* Sobel, magnitude by absolute values. */
// run: sobel(u8 in[7][9], u8 out[7][9])
void sobel(u8 in[7][9], u8 out[7][9])
{
    for (int y = 1; y < 7 - 1; y++) {
        for (int x = 1; x < 9 - 1; x++) {
            int gx = in[y - 1][x + 1] - in[y - 1][x - 1] + 2 * (in[y][x + 1] - in[y][x - 1]) + in[y + 1][x + 1] -
                     in[y + 1][x - 1];
            int gy = in[y + 1][x - 1] - in[y - 1][x - 1] + 2 * (in[y + 1][x] - in[y - 1][x]) + in[y + 1][x + 1] -
                     in[y - 1][x + 1];
            int m = abs(gx) + abs(gy);
            out[y][x] = m > 255 ? 255 : m;
        }
    }
}

// run: flip_rows(u8 in[5][7], u8 out[5][7])
void flip_rows(u8 in[5][7], u8 out[5][7])
{
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++)
            out[y][x] = in[4 - y][x];
}
