/* Complex numbers as pairs of reals, interleaved or in two arrays. */
#ifndef REAL
#define REAL float
#endif
typedef REAL real;

// run: cmul(real a[9][2], real b[9][2], real c[9][2], i32 n = 9)
void cmul(const real *a, const real *b, real *c, int n)
{
    for (int i = 0; i < n; i++) {
        real ar = a[2 * i], ai = a[2 * i + 1];
        real br = b[2 * i], bi = b[2 * i + 1];
        c[2 * i] = ar * br - ai * bi;
        c[2 * i + 1] = ar * bi + ai * br;
    }
}

// run: power_spectrum(real z[9][2], real p[9])
void power_spectrum(real z[9][2], real p[9])
{
    for (int i = 0; i < 9; i++)
        p[i] = z[i][0] * z[i][0] + z[i][1] * z[i][1];
}

// run: cdot(real xr[10], real xi[10], real yr[10], real yi[10], real out[2])
void cdot(const real *xr, const real *xi, const real *yr, const real *yi, real out[2])
{
    real re = 0, im = 0;
    for (int i = 0; i < 10; i++) {
        re += xr[i] * yr[i] + xi[i] * yi[i];
        im += xr[i] * yi[i] - xi[i] * yr[i];
    }
    out[0] = re;
    out[1] = im;
}

// run: cgemm(real Ar[4][5], real Ai[4][5], real Br[5][6], real Bi[5][6], real Cr[4][6], real Ci[4][6])
void cgemm(real Ar[4][5], real Ai[4][5], real Br[5][6], real Bi[5][6], real Cr[4][6], real Ci[4][6])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++) {
            Cr[i][j] = 0;
            Ci[i][j] = 0;
            for (int k = 0; k < 5; k++) {
                Cr[i][j] += Ar[i][k] * Br[k][j] - Ai[i][k] * Bi[k][j];
                Ci[i][j] += Ar[i][k] * Bi[k][j] + Ai[i][k] * Br[k][j];
            }
        }
}

// run: conjugate(real z[8][2])
void conjugate(real (*z)[2])
{
    for (int i = 0; i < 8; i++)
        z[i][1] = -z[i][1];
}

// run: deinterleave(real z[12][2], real re[12], real im[12])
void deinterleave(const real *z, real *re, real *im)
{
    for (int i = 0; i < 12; i++) {
        re[i] = *z++;
        im[i] = *z++;
    }
}
