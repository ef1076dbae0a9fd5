/* jacobi-1d of PolyBench/C 4.2.1: three-point mean on a line, two arrays in turn. */

#ifdef DATA_TYPE_IS_FLOAT
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#else
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#endif

#ifndef TSTEPS /* LARGE */
#define TSTEPS 500
#define N 2000
#endif

void kernel_jacobi_1d(DATA_TYPE A[N], DATA_TYPE B[N])
{
  int t, i;

#pragma scop
  for (t = 0; t < TSTEPS; t++) {
    for (i = 1; i < N - 1; i++)
      B[i] = SCALAR_VAL(0.33333) * (A[i - 1] + A[i] + A[i + 1]);
    for (i = 1; i < N - 1; i++)
      A[i] = SCALAR_VAL(0.33333) * (B[i - 1] + B[i] + B[i + 1]);
  }
#pragma endscop
}
