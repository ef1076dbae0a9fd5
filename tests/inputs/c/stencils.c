/* Finite differences and cellular automata. */
#include <stdint.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

#define IDX(i, j, k) (((i) * ny + (j)) * nz + (k))

// run: laplace5(i32 n = 9, i32 m = 8, real u[9][8], real out[9][8])
void laplace5(int n, int m, real u[n][m], real out[n][m])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            out[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
}

// run: stencil7(real in[5][6][7], real out[5][6][7], i32 nx = 5, i32 ny = 6, i32 nz = 7, real c0, real c1)
void stencil7(const real *in, real *out, int nx, int ny, int nz, real c0, real c1)
{
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            for (int k = 1; k < nz - 1; k++)
                out[IDX(i, j, k)] = c1 * (in[IDX(i - 1, j, k)] + in[IDX(i + 1, j, k)] + in[IDX(i, j - 1, k)] +
                                          in[IDX(i, j + 1, k)] + in[IDX(i, j, k - 1)] + in[IDX(i, j, k + 1)]) -
                                    c0 * in[IDX(i, j, k)];
}

// run: heat1d(real u[20], real v[20], i32 steps = 6, real r)
void heat1d(real u[20], real v[20], int steps, real r)
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < 19; i++)
            v[i] = u[i] + r * (u[i - 1] - 2 * u[i] + u[i + 1]);
        for (int i = 1; i < 19; i++)
            u[i] = v[i];
    }
}

/* Loops that count with while. */
// run: jacobi_while(real a[10][10], real b[10][10])
void jacobi_while(real a[10][10], real b[10][10])
{
    int i = 1;
    while (i < 9) {
        int j = 1;
        while (j < 9) {
            b[i][j] = (real)0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
            j++;
        }
        i++;
    }
}

// run: wave(real prev[15], real cur[15], real next[15], real c2)
void wave(const real prev[15], const real cur[15], real next[15], real c2)
{
    next[0] = next[14] = 0;
    for (int i = 1; i < 14; i++)
        next[i] = 2 * cur[i] - prev[i] + c2 * (cur[i + 1] - 2 * cur[i] + cur[i - 1]);
}

/* In place: each element needs the new one before it. */
// run: gauss_seidel(real u[8][8], real f[8][8])
void gauss_seidel(real u[8][8], real f[8][8])
{
    for (int i = 1; i < 7; i++)
        for (int j = 1; j < 7; j++)
            u[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]) / 4;
}

/* Gradient by central differences, two outputs. */
// run: gradient(real f[8][9], real gx[8][9], real gy[8][9])
void gradient(real f[8][9], real gx[8][9], real gy[8][9])
{
    for (int i = 1; i < 7; i++)
        for (int j = 1; j < 8; j++) {
            gx[i][j] = (f[i + 1][j] - f[i - 1][j]) / 2;
            gy[i][j] = (f[i][j + 1] - f[i][j - 1]) / 2;
        }
}

// run: divergence(real p[6][7], real q[6][7], real d[6][7])
void divergence(real p[6][7], real q[6][7], real d[6][7])
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            d[i][j] = p[i + 1][j] - p[i][j] + q[i][j + 1] - q[i][j];
}

// run: life(u8 now[8][9], u8 then[8][9])
void life(uint8_t now[8][9], uint8_t then[8][9])
{
    for (int i = 1; i < 7; i++)
        for (int j = 1; j < 8; j++) {
            int n = now[i - 1][j - 1] + now[i - 1][j] + now[i - 1][j + 1] + now[i][j - 1] + now[i][j + 1] +
                    now[i + 1][j - 1] + now[i + 1][j] + now[i + 1][j + 1];
            then[i][j] = n == 3 || (n == 2 && now[i][j]);
        }
}

/* Boundary rows and columns only. */
// run: mirror_border(real u[7][8])
void mirror_border(real u[7][8])
{
    for (int j = 0; j < 8; j++) {
        u[0][j] = u[1][j];
        u[6][j] = u[5][j];
    }
    for (int i = 0; i < 7; i++) {
        u[i][0] = u[i][1];
        u[i][7] = u[i][6];
    }
}

// run: periodic_shift(real u[12], real v[12])
void periodic_shift(const real u[12], real v[12])
{
    for (int i = 0; i < 12; i++)
        v[i] = u[(i + 1) % 12] - u[(i + 11) % 12];
}
