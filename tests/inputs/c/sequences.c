/* Recurrences, scans and dynamic programming. */
#include <stdint.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MIN3(a, b, c) MIN(MIN(a, b), c)

// run: prefix_sum(real x[16], i32 n = 16)
void prefix_sum(real *x, int n)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}

// run: prefix_sum_out(real x[16], real y[16])
void prefix_sum_out(const real x[16], real y[16])
{
    real run = 0;
    for (int i = 0; i < 16; i++) {
        run += x[i];
        y[i] = run;
    }
}

// run: suffix_sum(i64 x[16])
void suffix_sum(int64_t x[16])
{
    for (int i = 14; i >= 0; --i)
        x[i] = x[i] + x[i + 1];
}

/* Sum of all elements above and to the left. */
// run: integral_image(real a[7][8], real s[7][8])
void integral_image(real a[7][8], real s[7][8])
{
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 8; j++)
            s[i][j] = a[i][j] + (i > 0 ? s[i - 1][j] : 0) + (j > 0 ? s[i][j - 1] : 0) -
                      (i > 0 && j > 0 ? s[i - 1][j - 1] : 0);
}

// run: floyd_flat(i32+ d[9][9], i32 n = 9)
void floyd_flat(int *d, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int through = d[i * n + k] + d[k * n + j];
                if (through < d[i * n + j])
                    d[i * n + j] = through;
            }
}

/* Reachability: the same with logic. */
// run: warshall(u8 r[8][8])
void warshall(uint8_t r[8][8])
{
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                r[i][j] |= r[i][k] & r[k][j];
}

// run: edit_distance(u8 a[7], u8 b[9], i32 t[8][10])
void edit_distance(const uint8_t a[7], const uint8_t b[9], int t[8][10])
{
    for (int i = 0; i <= 7; i++)
        t[i][0] = i;
    for (int j = 0; j <= 9; j++)
        t[0][j] = j;
    for (int i = 1; i <= 7; i++)
        for (int j = 1; j <= 9; j++)
            t[i][j] = MIN3(t[i - 1][j] + 1, t[i][j - 1] + 1, t[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
}

// run: pascal(i64 t[10][10])
void pascal(int64_t t[10][10])
{
    for (int i = 0; i < 10; i++) {
        t[i][0] = 1;
        t[i][i] = 1;
        for (int j = 1; j < i; j++)
            t[i][j] = t[i - 1][j - 1] + t[i - 1][j];
    }
}

// run: fibonacci(u64 f[40])
void fibonacci(uint64_t f[40])
{
    f[0] = 0;
    f[1] = 1;
    for (int i = 2; i < 40; i++)
        f[i] = f[i - 1] + f[i - 2];
}

/* Horner's rule, for many arguments at once. */
// run: polyval(real c[6], real x[10], real y[10])
void polyval(const real c[6], const real x[10], real y[10])
{
    for (int i = 0; i < 10; i++) {
        real v = c[5];
        for (int k = 4; k >= 0; k--)
            v = v * x[i] + c[k];
        y[i] = v;
    }
}

/* The same polynomial from a table of powers. */
// run: powers(real x[8], real V[8][5])
void powers(const real x[8], real V[8][5])
{
    for (int i = 0; i < 8; i++) {
        V[i][0] = 1;
        for (int k = 1; k < 5; k++)
            V[i][k] = V[i][k - 1] * x[i];
    }
}

// run: smooth(real x[20], real y[20], real a)
void smooth(const real x[20], real y[20], real a)
{
    y[0] = x[0];
    for (int i = 1; i < 20; i++)
        y[i] = a * x[i] + (1 - a) * y[i - 1];
}

/* Tridiagonal solve (Thomas). */
// run: tridiagonal(real a[10], real+ b[10], real c[10], real d[10])
void tridiagonal(const real a[10], real b[10], const real c[10], real d[10])
{
    for (int i = 1; i < 10; i++) {
        real w = a[i] / (b[i - 1] + 4);
        b[i] = b[i] - w * c[i - 1];
        d[i] = d[i] - w * d[i - 1];
    }
}

// run: running_max(i32 x[18], i32 n = 18)
void running_max(int *x, int n)
{
    for (int i = 1; i < n; i++)
        x[i] = x[i] > x[i - 1] ? x[i] : x[i - 1];
}
