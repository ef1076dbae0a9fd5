#include <stddef.h>

/* C = alpha A B + C, as it stands in many libraries: flat arrays, sizes known at run time only. */
void gemm(size_t m, size_t n, size_t k, double alpha,
          const double *restrict A, const double *restrict B, double *restrict C) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t p = 0; p < k; p++)
        sum += A[i * k + p] * B[p * n + j];
      C[i * n + j] += alpha * sum;
    }
}
