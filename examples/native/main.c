#include <stdio.h>
#include <stdlib.h>

void gemm(size_t m, size_t n, size_t k, double alpha,
          const double *restrict A, const double *restrict B, double *restrict C);

int main(void) {
  enum { M = 300, N = 310, K = 320 };
  double *A = malloc(sizeof(double[M][K])), *B = malloc(sizeof(double[K][N])), *C = calloc(M * N, sizeof *C);
  for (int i = 0; i < M * K; i++)
    A[i] = i % 7;
  for (int i = 0; i < K * N; i++)
    B[i] = i % 5;
  gemm(M, N, K, 0.5, A, B, C);
  double sum = 0;
  for (int i = 0; i < M * N; i++)
    sum += C[i] * (i % 3);
  printf("%.1f\n", sum);
  free(A), free(B), free(C);
}
