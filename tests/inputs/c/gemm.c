/* Matrix products as found in small inference engines: flat buffers, leading dimensions at run time. */
#include <stddef.h>

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

// run: gemm_nn(i32 M = 5, i32 N = 7, i32 K = 6, real alpha, real A[5][8], i32 lda = 8, real B[6][9], i32 ldb = 9, real C[5][7], i32 ldc = 7)
void gemm_nn(int M, int N, int K, real alpha, real *A, int lda, real *B, int ldb, real *C, int ldc)
{
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (k = 0; k < K; ++k) {
            real a_part = alpha * A[i * lda + k];
            for (j = 0; j < N; ++j) {
                C[i * ldc + j] += a_part * B[k * ldb + j];
            }
        }
    }
}

// run: gemm_nt(i32 M = 5, i32 N = 7, i32 K = 6, real alpha, real A[5][6], i32 lda = 6, real B[7][8], i32 ldb = 8, real C[5][7], i32 ldc = 7)
void gemm_nt(int M, int N, int K, real alpha, real *A, int lda, real *B, int ldb, real *C, int ldc)
{
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (j = 0; j < N; ++j) {
            real sum = 0;
            for (k = 0; k < K; ++k) {
                sum += alpha * A[i * lda + k] * B[j * ldb + k];
            }
            C[i * ldc + j] += sum;
        }
    }
}

// run: gemm_tn(i32 M = 5, i32 N = 7, i32 K = 6, real alpha, real A[6][5], i32 lda = 5, real B[6][7], i32 ldb = 7, real C[5][9], i32 ldc = 9)
void gemm_tn(int M, int N, int K, real alpha, real *A, int lda, real *B, int ldb, real *C, int ldc)
{
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (k = 0; k < K; ++k) {
            real a_part = alpha * A[k * lda + i];
            for (j = 0; j < N; ++j) {
                C[i * ldc + j] += a_part * B[k * ldb + j];
            }
        }
    }
}

// run: gemm_tt(i32 M = 5, i32 N = 7, i32 K = 6, real alpha, real A[6][5], i32 lda = 5, real B[7][6], i32 ldb = 6, real C[5][7], i32 ldc = 7)
void gemm_tt(int M, int N, int K, real alpha, real *A, int lda, real *B, int ldb, real *C, int ldc)
{
    int i, j, k;
    for (i = 0; i < M; ++i) {
        for (j = 0; j < N; ++j) {
            real sum = 0;
            for (k = 0; k < K; ++k) {
                sum += alpha * A[i + k * lda] * B[k + j * ldb];
            }
            C[i * ldc + j] += sum;
        }
    }
}

/* Without leading dimensions, as in textbooks. */
// run: matmul_flat(real c[6][4], real a[6][5], real b[5][4], u64 n = 6, u64 m = 5, u64 p = 4)
void matmul_flat(real *restrict c, const real *restrict a, const real *restrict b, size_t n, size_t m, size_t p)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p; j++) {
            c[i * p + j] = 0;
            for (size_t k = 0; k < m; k++)
                c[i * p + j] += a[i * m + k] * b[k * p + j];
        }
}

/* With variable-length arrays, and the sizes before them. */
// run: matmul_vla(i32 n = 6, i32 m = 5, i32 p = 4, real A[6][5], real B[5][4], real C[6][4])
void matmul_vla(int n, int m, int p, real A[n][m], real B[m][p], real C[n][p])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++) {
            real acc = 0;
            for (int k = 0; k < m; k++)
                acc += A[i][k] * B[k][j];
            C[i][j] = acc;
        }
}

/* A batch of products, all extents at run time. */
// run: bmm(i32 batch = 3, i32 n = 4, i32 m = 5, i32 p = 6, real x[3][4][5], real y[3][5][6], real z[3][4][6])
void bmm(int batch, int n, int m, int p, const real *x, const real *y, real *z)
{
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < p; j++) {
                real s = 0;
                for (int k = 0; k < m; k++)
                    s += x[(b * n + i) * m + k] * y[(b * m + k) * p + j];
                z[(b * n + i) * p + j] = s;
            }
}

#define TILE 4

/* Blocked by a constant that divides the extents. */
// run: matmul_tiled(real A[8][8], real B[8][8], real C[8][8])
void matmul_tiled(real (*A)[8], real (*B)[8], real (*C)[8])
{
    for (int ii = 0; ii < 8; ii += TILE)
        for (int jj = 0; jj < 8; jj += TILE)
            for (int kk = 0; kk < 8; kk += TILE)
                for (int i = ii; i < ii + TILE; i++)
                    for (int j = jj; j < jj + TILE; j++)
                        for (int k = kk; k < kk + TILE; k++)
                            C[i][j] += A[i][k] * B[k][j];
}
