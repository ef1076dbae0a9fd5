/* Convolutions and pooling in one to three dimensions. */
#ifndef REAL
#define REAL float
#endif
typedef REAL real;

enum { IN = 3, OUT = 4, HEIGHT = 9, WIDTH = 8, KH = 3, KW = 3 };

#define MAX(a, b) ((a) > (b) ? (a) : (b))

// run: conv1d(real x[3][12], real w[4][3][5], real y[4][8])
void conv1d(real x[3][12], real w[4][3][5], real y[4][8])
{
    for (int o = 0; o < 4; o++)
        for (int t = 0; t < 8; t++) {
            y[o][t] = 0;
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 5; k++)
                    y[o][t] += x[c][t + k] * w[o][c][k];
        }
}

// run: conv2d(real x[9][8], real k[3][3], real y[7][6])
void conv2d(real x[HEIGHT][WIDTH], real k[KH][KW], real y[HEIGHT - KH + 1][WIDTH - KW + 1])
{
    int i, j, p, q;
    for (i = 0; i < HEIGHT - KH + 1; i++)
        for (j = 0; j < WIDTH - KW + 1; j++) {
            real acc = 0;
            for (p = 0; p < KH; p++)
                for (q = 0; q < KW; q++)
                    acc += x[i + p][j + q] * k[p][q];
            y[i][j] = acc;
        }
}

// run: conv2d_nchw(real x[2][3][9][8], real w[4][3][3][3], real bias[4], real y[2][4][7][6])
void conv2d_nchw(real x[2][IN][HEIGHT][WIDTH], real w[OUT][IN][KH][KW], real bias[OUT], real y[2][OUT][7][6])
{
    for (int n = 0; n < 2; n++)
        for (int o = 0; o < OUT; o++)
            for (int i = 0; i < 7; i++)
                for (int j = 0; j < 6; j++) {
                    real acc = bias[o];
                    for (int c = 0; c < IN; c++)
                        for (int p = 0; p < KH; p++)
                            for (int q = 0; q < KW; q++)
                                acc += x[n][c][i + p][j + q] * w[o][c][p][q];
                    y[n][o][i][j] = acc;
                }
}

/* Channels last, flat buffers, every size at run time. */
// run: conv2d_nhwc(real x[7][6][3], real w[2][3][3][4], real y[6][4][4], i32 h = 7, i32 wd = 6, i32 c = 3, i32 kh = 2, i32 kw = 3, i32 o = 4)
void conv2d_nhwc(const real *x, const real *w, real *y, int h, int wd, int c, int kh, int kw, int o)
{
    int oh = h - kh + 1, ow = wd - kw + 1;
    for (int i = 0; i < oh; i++)
        for (int j = 0; j < ow; j++)
            for (int f = 0; f < o; f++) {
                real acc = 0;
                for (int p = 0; p < kh; p++)
                    for (int q = 0; q < kw; q++)
                        for (int k = 0; k < c; k++)
                            acc += x[((i + p) * wd + (j + q)) * c + k] * w[((p * kw + q) * c + k) * o + f];
                y[(i * ow + j) * o + f] = acc;
            }
}

/* Step 2 in both directions. */
// run: conv2d_stride2(real x[9][9], real k[3][3], real y[4][4])
void conv2d_stride2(real x[9][9], real k[3][3], real y[4][4])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            y[i][j] = 0;
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    y[i][j] += x[2 * i + p][2 * j + q] * k[p][q];
        }
}

/* Same size as the input: the border is zero. */
// run: conv2d_same(real x[6][7], real k[3][3], real y[6][7])
void conv2d_same(real x[6][7], real k[3][3], real y[6][7])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++) {
            real s = 0;
            for (int p = -1; p <= 1; p++)
                for (int q = -1; q <= 1; q++)
                    if (i + p >= 0 && i + p < 6 && j + q >= 0 && j + q < 7)
                        s += x[i + p][j + q] * k[p + 1][q + 1];
            y[i][j] = s;
        }
}

// run: depthwise(real x[3][8][8], real k[3][3][3], real y[3][6][6])
void depthwise(real x[3][8][8], real k[3][3][3], real y[3][6][6])
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                real s = 0;
                for (int p = 0; p < 3; p++)
                    for (int q = 0; q < 3; q++)
                        s += x[c][i + p][j + q] * k[c][p][q];
                y[c][i][j] = s;
            }
}

/* 1 by 1: a product of matrices over the channels. */
// run: pointwise(real x[5][4][6], real w[7][5], real y[7][4][6])
void pointwise(real x[5][4][6], real w[7][5], real y[7][4][6])
{
    for (int o = 0; o < 7; o++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 6; j++) {
                y[o][i][j] = 0;
                for (int c = 0; c < 5; c++)
                    y[o][i][j] += w[o][c] * x[c][i][j];
            }
}

// run: conv3d(real x[5][6][7], real k[2][3][2], real y[4][4][6])
void conv3d(real x[5][6][7], real k[2][3][2], real y[4][4][6])
{
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int c = 0; c < 6; c++) {
                real s = 0;
                for (int p = 0; p < 2; p++)
                    for (int q = 0; q < 3; q++)
                        for (int r = 0; r < 2; r++)
                            s += x[a + p][b + q][c + r] * k[p][q][r];
                y[a][b][c] = s;
            }
}

// run: maxpool2(real x[3][8][6], real y[3][4][3])
void maxpool2(real x[3][8][6], real y[3][4][3])
{
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++) {
                real m = x[c][2 * i][2 * j];
                for (int p = 0; p < 2; p++)
                    for (int q = 0; q < 2; q++)
                        m = MAX(m, x[c][2 * i + p][2 * j + q]);
                y[c][i][j] = m;
            }
}

// run: avgpool3(real x[10][9], real y[8][7])
void avgpool3(real x[10][9], real y[8][7])
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 7; j++) {
            real s = 0;
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    s += x[i + p][j + q];
            y[i][j] = s / 9;
        }
}

// run: global_average(real x[4][30], real y[4])
void global_average(const real *x, real *y)
{
    for (int c = 0; c < 4; c++) {
        real s = 0;
        const real *p = x + c * 30;
        for (int i = 0; i < 30; i++)
            s += *p++;
        y[c] = s / 30;
    }
}

// run: im2col(real x[3][6][5], real col[27][12])
void im2col(real x[3][6][5], real col[27][12])
{
    for (int c = 0; c < 3; c++)
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 3; j++)
                        col[c * 9 + p * 3 + q][i * 3 + j] = x[c][i + p][j + q];
}

// run: nearest_upsample(real x[4][5], real y[8][10])
void nearest_upsample(real x[4][5], real y[8][10])
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 10; j++)
            y[i][j] = x[i / 2][j / 2];
}
