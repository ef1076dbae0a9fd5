/* cholesky of PolyBench/C 4.2.1: A := its Cholesky factor L, A = L L', in the lower triangle. */

#include <math.h>

#ifdef DATA_TYPE_IS_FLOAT
#define DATA_TYPE float
#define SQRT_FUN(x) sqrtf(x)
#else
#define DATA_TYPE double
#define SQRT_FUN(x) sqrt(x)
#endif

#ifndef N /* LARGE */
#define N 2000
#endif

void kernel_cholesky(DATA_TYPE A[N][N])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < N; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (k = 0; k < i; k++)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = SQRT_FUN(A[i][i]);
  }
#pragma endscop
}
