/* Vector and matrix-vector routines. */
#include <math.h>
#include <stddef.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

// run: axpy(u64 n = 11, real a, real x[11], real y[11])
void axpy(size_t n, real a, const real *restrict x, real *restrict y)
{
    for (size_t i = 0; i < n; ++i)
        y[i] += a * x[i];
}

/* By walking pointers. */
// run: axpby(i32 n = 11, real a, real x[11], real b, real y[11])
void axpby(int n, real a, const real *x, real b, real *y)
{
    while (n-- > 0) {
        *y = a * *x + b * *y;
        x++;
        y++;
    }
}

// run: scal(i32 n = 9, real a, real x[9])
void scal(int n, real a, real *x)
{
    int i = n;
    while (i > 0) {
        --i;
        x[i] *= a;
    }
}

// run: dot(i32 n = 13, real x[13], real y[13]) -> real
real dot(const int n, const real *x, const real *y)
{
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The same with one accumulator for even and one for odd places. */
// run: dot_unrolled(real x[12], real y[12]) -> real
real dot_unrolled(const real x[12], const real y[12])
{
    real s0 = 0, s1 = 0;
    for (int i = 0; i < 12; i += 2) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
    }
    return s0 + s1;
}

// run: nrm2(i32 n = 13, real x[13]) -> real
real nrm2(int n, const real *x)
{
    real s = 0;
    for (int i = 0; i != n; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

// run: asum(i32 n = 13, real x[13]) -> real
real asum(int n, const real *x)
{
    real s = 0;
    for (int i = 0; i < n; i++)
        s += fabs(x[i]);
    return s;
}

// run: amax(i32 n = 13, real x[13]) -> real
real amax(int n, const real *x)
{
    real best = 0;
    for (int i = 0; i < n; i++) {
        real v = x[i] < 0 ? -x[i] : x[i];
        if (v > best)
            best = v;
    }
    return best;
}

// run: swap(i32 n = 8, real x[8], real y[8])
void swap(int n, real *x, real *y)
{
    for (int i = 0; i < n; i++) {
        real t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

// run: rot(i32 n = 8, real x[8], real y[8], real c, real s)
void rot(int n, real *x, real *y, real c, real s)
{
    for (int i = 0; i < n; i++) {
        const real xi = x[i], yi = y[i];
        x[i] = c * xi + s * yi;
        y[i] = c * yi - s * xi;
    }
}

/* Every second element: a constant increment. */
// run: axpy_stride2(i32 n = 6, real a, real x[12], real y[6])
void axpy_stride2(int n, real a, const real *x, real *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[2 * i];
}

// run: gemv(i32 m = 5, i32 n = 7, real alpha, real A[5][7], real x[7], real beta, real y[5])
void gemv(int m, int n, real alpha, const real *A, const real *x, real beta, real *y)
{
    for (int i = 0; i < m; i++) {
        const real *row = A + i * n;
        real t = 0;
        for (int j = 0; j < n; j++)
            t += row[j] * x[j];
        y[i] = alpha * t + beta * y[i];
    }
}

// run: gemv_t(i32 m = 5, i32 n = 7, real A[5][7], real x[5], real y[7])
void gemv_t(int m, int n, real A[m][n], real x[m], real y[n])
{
    for (int j = 0; j < n; j++)
        y[j] = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j] += A[i][j] * x[i];
}

// run: ger(i32 m = 5, i32 n = 7, real alpha, real x[5], real y[7], real A[5][9], i32 lda = 9)
void ger(int m, int n, real alpha, const real *x, const real *y, real *A, int lda)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            A[i * lda + j] += alpha * x[i] * y[j];
}

/* Symmetric, only the lower triangle is read. */
// run: symv(i32 n = 7, real A[7][7], real x[7], real y[7])
void symv(int n, real A[n][n], const real *x, real *y)
{
    for (int i = 0; i < n; i++) {
        y[i] += A[i][i] * x[i];
        for (int j = 0; j < i; j++) {
            y[i] += A[i][j] * x[j];
            y[j] += A[i][j] * x[i];
        }
    }
}

/* Lower triangular times vector, in place, from the bottom. */
// run: trmv(i32 n = 7, real L[7][7], real x[7])
void trmv(int n, real L[n][n], real *x)
{
    for (int i = n - 1; i >= 0; i--) {
        real s = 0;
        for (int j = 0; j <= i; j++)
            s += L[i][j] * x[j];
        x[i] = s;
    }
}

/* Back substitution. */
// run: trsv(i32 n = 6, real+ U[6][6], real b[6])
void trsv(int n, real U[n][n], real *b)
{
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; j++)
            b[i] -= U[i][j] * b[j];
        b[i] /= U[i][i];
    }
}
