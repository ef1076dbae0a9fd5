/* Functions that call small helpers of the same file. */
#include <math.h>
#include <stdint.h>

#ifndef REAL
#define REAL float
#endif
typedef REAL real;
typedef long index_t;

static inline real square(real x)
{
    return x * x;
}

static inline real lerp(real a, real b, real t)
{
    return a + t * (b - a);
}

static real clampf(real v, real lo, real hi)
{
    if (v < lo)
        return lo;
    if (v > hi)
        return hi;
    return v;
}

static inline index_t at(index_t row, index_t column, index_t width)
{
    return row * width + column;
}

static void add_row(real *y, const real *x, real a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

// run: sum_of_squares(real x[14], i32 n = 14) -> real
real sum_of_squares(const real *x, int n)
{
    real s = 0;
    for (int i = 0; i < n; i++)
        s += square(x[i]);
    return s;
}

// run: mix(real a[12], real b[12], real t[12], real out[12])
void mix(const real a[12], const real b[12], const real t[12], real out[12])
{
    for (int i = 0; i < 12; i++)
        out[i] = lerp(a[i], b[i], t[i]);
}

// run: clamp_all(real x[15], real lo = -0.8, real hi = 0.9, i32 n = 15)
void clamp_all(real *x, real lo, real hi, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = clampf(x[i], lo, hi);
}

// run: outer_sum(real a[5], real b[7], real out[5][7], i64 n = 5, i64 m = 7)
void outer_sum(const real *a, const real *b, real *out, index_t n, index_t m)
{
    for (index_t i = 0; i < n; i++)
        for (index_t j = 0; j < m; j++)
            out[at(i, j, m)] = a[i] + b[j];
}

// run: matmul_by_rows(real A[5][6], real B[6][7], real C[5][7])
void matmul_by_rows(real A[5][6], real B[6][7], real C[5][7])
{
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 7; j++)
            C[i][j] = 0;
        for (int k = 0; k < 6; k++)
            add_row(C[i], B[k], A[i][k], 7);
    }
}

/* Mean, then variance, then both used. */
// run: standardise(real x[16], i32 n = 16)
void standardise(real *x, int n)
{
    real mean = 0, var = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        var += square(x[i] - mean);
    var /= n;
    real scale = 1 / sqrt(var);
    for (int i = 0; i < n; i++)
        x[i] = (x[i] - mean) * scale;
}

// run: weighted_mean(real x[12], real+ w[12]) -> real
real weighted_mean(const real x[12], const real w[12])
{
    real top = 0, bottom = 0;
    for (int i = 0; i < 12; i++) {
        top += w[i] * x[i];
        bottom += w[i];
    }
    return top / bottom;
}

// run: min_max(real x[12], real out[2])
void min_max(const real x[12], real out[2])
{
    real lo = x[0], hi = x[0];
    for (int i = 1; i < 12; i++) {
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    out[0] = lo;
    out[1] = hi;
}

/* Place of the largest element. */
// run: argmax(real x[12]) -> i32
int argmax(const real x[12])
{
    int best = 0;
    real top = x[0];
    for (int i = 1; i < 12; i++)
        if (x[i] > top) {
            top = x[i];
            best = i;
        }
    return best;
}

/* Forces between all pairs of particles on a plane. */
// run: forces(real x[7], real y[7], real+ m[7], real fx[7], real fy[7])
void forces(const real x[7], const real y[7], const real m[7], real fx[7], real fy[7])
{
    for (int i = 0; i < 7; i++) {
        fx[i] = fy[i] = 0;
        for (int j = 0; j < 7; j++) {
            real dx = x[j] - x[i], dy = y[j] - y[i];
            real r2 = square(dx) + square(dy) + (real)0.01;
            real inv = 1 / (r2 * sqrt(r2));
            fx[i] += m[j] * dx * inv;
            fy[i] += m[j] * dy * inv;
        }
    }
}

// run: integrate(real x[10], real v[10], real a[10], real dt)
void integrate(real x[10], real v[10], const real a[10], real dt)
{
    for (int i = 0; i < 10; i++) {
        v[i] += dt * a[i];
        x[i] += dt * v[i];
    }
}

// run: black_scholes_d1(f64+ s[10], f64 k = 1.1, f64 r = 0.03, f64 sigma = 0.2, f64 t = 0.75, f64 d1[10])
void black_scholes_d1(const double *s, double k, double r, double sigma, double t, double *d1)
{
    for (int i = 0; i < 10; i++)
        d1[i] = (log(s[i] / k) + (r + 0.5 * sigma * sigma) * t) / (sigma * sqrt(t));
}
