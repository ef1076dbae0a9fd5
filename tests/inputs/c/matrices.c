/* What is done to matrices besides multiplying them. */
#include <math.h>
#include <stdbool.h>

#ifndef REAL
#define REAL double
#endif
typedef REAL real;

// run: transpose(i32 n = 6, i32 m = 9, real A[6][9], real B[9][6])
void transpose(int n, int m, real A[n][m], real B[m][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[j][i] = A[i][j];
}

// run: transpose_flat(real in[6][9], real out[9][6], i32 rows = 6, i32 cols = 9)
void transpose_flat(const real *in, real *out, int rows, int cols)
{
    for (int c = 0; c < cols; c++)
        for (int r = 0; r < rows; r++)
            out[c * rows + r] = in[r * cols + c];
}

// run: transpose_in_place(real A[7][7])
void transpose_in_place(real A[7][7])
{
    for (int i = 0; i < 7; i++)
        for (int j = i + 1; j < 7; j++) {
            real t = A[i][j];
            A[i][j] = A[j][i];
            A[j][i] = t;
        }
}

// run: trace(i32 n = 8, real A[8][8]) -> real
real trace(int n, real A[n][n])
{
    real t = 0;
    for (int i = 0; i < n; i++)
        t += A[i][i];
    return t;
}

// run: frobenius(real A[5][6]) -> real
real frobenius(real A[5][6])
{
    real s = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            s += A[i][j] * A[i][j];
    return sqrt(s);
}

/* Largest sum of absolute values of a row. */
// run: norm_inf(real A[5][6]) -> real
real norm_inf(real A[5][6])
{
    real best = 0;
    for (int i = 0; i < 5; i++) {
        real s = 0;
        for (int j = 0; j < 6; j++)
            s += fabs(A[i][j]);
        best = s > best ? s : best;
    }
    return best;
}

// run: identity(i32 n = 7, real I[7][7])
void identity(int n, real I[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            I[i][j] = i == j;
}

// run: hadamard(real A[6][5], real B[6][5], real C[6][5])
void hadamard(real A[6][5], real B[6][5], real C[6][5])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            C[i][j] = A[i][j] * B[i][j];
}

// run: kronecker(real A[3][4], real B[2][5], real C[6][20])
void kronecker(real A[3][4], real B[2][5], real C[6][20])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 2; k++)
                for (int l = 0; l < 5; l++)
                    C[2 * i + k][5 * j + l] = A[i][j] * B[k][l];
}

/* Zeroes the triangle above the diagonal, row by row from the bottom. */
// run: zero_upper(real A[7][7])
void zero_upper(real A[7][7])
{
    for (int i = 6; i >= 0; i--)
        for (int j = 6; j > i; j--)
            A[i][j] = 0;
}

// run: symmetrise(real A[6][6])
void symmetrise(real A[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            A[i][j] = A[j][i] = (A[i][j] + A[j][i]) / 2;
}

// run: row_sums(real A[6][9], real r[6])
void row_sums(real A[6][9], real r[6])
{
    for (int i = 0; i < 6; i++) {
        r[i] = 0;
        for (int j = 0; j < 9; j++)
            r[i] += A[i][j];
    }
}

// run: column_means(real A[6][9], real m[9])
void column_means(real A[6][9], real m[9])
{
    for (int j = 0; j < 9; j++)
        m[j] = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 9; j++)
            m[j] += A[i][j];
    for (int j = 0; j < 9; j++)
        m[j] /= 6;
}

// run: scale_columns(real A[6][5], real d[5])
void scale_columns(real A[6][5], const real d[5])
{
    int i, j;
    for (j = 0; j < 5; j++)
        for (i = 0; i < 6; i++)
            A[i][j] *= d[j];
}

/* x' A y. */
// run: bilinear(real x[5], real A[5][6], real y[6]) -> real
real bilinear(const real x[5], real A[5][6], const real y[6])
{
    real s = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            s += x[i] * A[i][j] * y[j];
    return s;
}

// run: pairwise_distances(real P[6][3], real D[6][6])
void pairwise_distances(real P[6][3], real D[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            real s = 0;
            for (int k = 0; k < 3; k++) {
                real d = P[i][k] - P[j][k];
                s += d * d;
            }
            D[i][j] = s;
        }
}

// run: contract3(real T[4][5][6], real M[6][7], real R[4][5][7])
void contract3(real T[4][5][6], real M[6][7], real R[4][5][7])
{
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 5; b++)
            for (int d = 0; d < 7; d++) {
                R[a][b][d] = 0;
                for (int c = 0; c < 6; c++)
                    R[a][b][d] += T[a][b][c] * M[c][d];
            }
}

/* Choice by a flag that does not change in the loop. */
// run: add_or_sub(bool subtract = 1, real A[12], real B[12])
void add_or_sub(bool subtract, real *A, const real *B)
{
    for (int i = 0; i < 12; i++) {
        if (subtract)
            A[i] -= B[i];
        else
            A[i] += B[i];
    }
}
