/* lu of PolyBench/C 4.2.1: A := its factors L and U, A = L U without pivoting, L with ones on the diagonal. */

#ifdef DATA_TYPE_IS_FLOAT
#define DATA_TYPE float
#else
#define DATA_TYPE double
#endif

#ifndef N /* LARGE */
#define N 2000
#endif

void kernel_lu(DATA_TYPE A[N][N])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < N; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (j = i; j < N; j++)
      for (k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
#pragma endscop
}
