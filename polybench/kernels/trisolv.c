/* trisolv of PolyBench/C 4.2.1: solves L x = b, L lower triangular. */

#ifdef DATA_TYPE_IS_FLOAT
#define DATA_TYPE float
#else
#define DATA_TYPE double
#endif

#ifndef N /* LARGE */
#define N 2000
#endif

void kernel_trisolv(DATA_TYPE L[N][N], DATA_TYPE x[N], DATA_TYPE b[N])
{
  int i, j;

#pragma scop
  for (i = 0; i < N; i++) {
    x[i] = b[i];
    for (j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
#pragma endscop
}
