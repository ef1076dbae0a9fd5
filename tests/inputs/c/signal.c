/* Filters and transforms of signals. */
#include <math.h>

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

#define TAPS 5

// run: fir(real x[24], real h[5], real y[20])
void fir(const real x[24], const real h[TAPS], real y[20])
{
    for (int n = 0; n < 20; n++) {
        real acc = 0;
        for (int k = 0; k < TAPS; k++)
            acc += h[k] * x[n + TAPS - 1 - k];
        y[n] = acc;
    }
}

/* With the state of the line before it, sizes at run time. */
// run: fir_run_time(real x[24], real h[7], real y[18], i32 n = 18, i32 taps = 7)
void fir_run_time(const real *x, const real *h, real *y, int n, int taps)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < taps; k++)
            y[i] += h[k] * x[i + k];
    }
}

/* Direct form I of a section of second order. */
// run: biquad(real x[20], real y[20], real b0, real b1, real b2, real a1, real a2)
void biquad(const real x[20], real y[20], real b0, real b1, real b2, real a1, real a2)
{
    real x1 = 0, x2 = 0, y1 = 0, y2 = 0;
    for (int n = 0; n < 20; n++) {
        real out = b0 * x[n] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
        x2 = x1;
        x1 = x[n];
        y2 = y1;
        y1 = out;
        y[n] = out;
    }
}

// run: iir_first_order(real x[20], i32 n = 20, real a)
void iir_first_order(real *x, int n, real a)
{
    for (int i = 1; i < n; i++)
        x[i] = a * x[i] + (1 - a) * x[i - 1];
}

/* Full convolution; the domain is an affine condition. */
// run: convolve_full(real x[9], real h[4], real y[12])
void convolve_full(const real x[9], const real h[4], real y[12])
{
    for (int n = 0; n < 12; n++) {
        y[n] = 0;
        for (int k = 0; k < 4; k++)
            if (n - k >= 0 && n - k < 9)
                y[n] += h[k] * x[n - k];
    }
}

// run: autocorrelation(real x[20], real r[6], i32 n = 20, i32 lags = 6)
void autocorrelation(const real *x, real *r, int n, int lags)
{
    for (int l = 0; l < lags; l++) {
        real s = 0;
        for (int i = 0; i < n - l; i++)
            s += x[i] * x[i + l];
        r[l] = s;
    }
}

/* Type II, by definition, from a table of cosines. */
// run: dct2(real x[8], real cosine[8][8], real X[8])
void dct2(const real x[8], real cosine[8][8], real X[8])
{
    for (int k = 0; k < 8; k++) {
        X[k] = 0;
        for (int n = 0; n < 8; n++)
            X[k] += x[n] * cosine[k][n];
    }
}

/* The 8 by 8 transform of pictures: basis, block, basis transposed. */
// run: dct_block(real block[8][8], real D[8][8])
void dct_block(real block[8][8], real D[8][8])
{
    real tmp[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            tmp[i][j] = 0;
            for (int k = 0; k < 8; k++)
                tmp[i][j] += D[i][k] * block[k][j];
        }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            real s = 0;
            for (int k = 0; k < 8; k++)
                s += tmp[i][k] * D[j][k];
            block[i][j] = s;
        }
}

/* Cosines computed on the spot, from an integer product. */
// run: dct_naive(f64 x[8], f64 X[8])
void dct_naive(const double *x, double *X)
{
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < 8; k++) {
        double s = 0.0;
        for (int n = 0; n < 8; n++)
            s += x[n] * cos(pi / 8 * (n + 0.5) * k);
        X[k] = s;
    }
}

/* Real and imaginary part of a discrete Fourier transform by tables. */
// run: dft(real x[10], real re[10], real im[10], real c[10][10], real s[10][10])
void dft(const real *x, real *re, real *im, real c[10][10], real s[10][10])
{
    for (int k = 0; k < 10; k++) {
        re[k] = im[k] = 0;
        for (int n = 0; n < 10; n++) {
            re[k] += x[n] * c[k][n];
            im[k] -= x[n] * s[k][n];
        }
    }
}

// run: window(real x[16], real w[16], i32 n = 16)
void window(real *x, const real *w, int n)
{
    int i;
    for (i = 0; i < n; ++i)
        x[i] *= w[i];
}

// run: hann(f32 w[16], i32 n = 16)
void hann(float *w, int n)
{
    for (int i = 0; i < n; i++)
        w[i] = 0.5f - 0.5f * cosf(6.2831853f * i / (n - 1));
}

// run: decimate(real x[20], real y[5])
void decimate(const real x[20], real y[5])
{
    for (int i = 0; i < 5; i++)
        y[i] = (x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3]) / 4;
}

// run: upsample_linear(real x[9], real y[16])
void upsample_linear(const real x[9], real y[16])
{
    for (int i = 0; i < 8; i++) {
        y[2 * i] = x[i];
        y[2 * i + 1] = (real)0.5 * (x[i] + x[i + 1]);
    }
}

// run: moving_average(real x[20], real y[16])
void moving_average(const real *x, real *y)
{
    for (int i = 0; i <= 15; i++) {
        real s = x[i];
        for (int j = 1; j < 5; j++)
            s += x[i + j];
        y[i] = s / 5;
    }
}

// run: reverse(real x[15], real y[15], i32 n = 15)
void reverse(const real *x, real *y, int n)
{
    for (int i = n - 1, j = 0; i >= 0; i--, j++)
        y[j] = x[i];
}

/* One step of lifting: a wavelet in place, odd places from even ones. */
// run: haar(real x[16], real low[8], real high[8])
void haar(const real x[16], real low[8], real high[8])
{
    for (int i = 0; i < 8; i++) {
        low[i] = (x[2 * i] + x[2 * i + 1]) / 2;
        high[i] = (x[2 * i] - x[2 * i + 1]) / 2;
    }
}
