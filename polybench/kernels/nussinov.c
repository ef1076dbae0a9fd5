/* nussinov of PolyBench/C 4.2.1: dynamic programming: the largest number of pairs in a folded strand of RNA. */

#if defined(DATA_TYPE_IS_DOUBLE)
#define DATA_TYPE double
#elif defined(DATA_TYPE_IS_FLOAT)
#define DATA_TYPE float
#else
#define DATA_TYPE int
#endif

#ifndef N /* LARGE */
#define N 2500
#endif

typedef char base;

#define match(b1, b2) (((b1) + (b2)) == 3 ? 1 : 0)
#define max_score(s1, s2) ((s1 >= s2) ? s1 : s2)

void kernel_nussinov(base seq[N], DATA_TYPE table[N][N])
{
  int i, j, k;

#pragma scop
  for (i = N - 1; i >= 0; i--) {
    for (j = i + 1; j < N; j++) {
      if (j - 1 >= 0)
        table[i][j] = max_score(table[i][j], table[i][j - 1]);
      if (i + 1 < N)
        table[i][j] = max_score(table[i][j], table[i + 1][j]);

      if (j - 1 >= 0 && i + 1 < N) {
        /* neighbours do not pair */
        if (i < j - 1)
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
        else
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
      }

      for (k = i + 1; k < j; k++)
        table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
    }
  }
#pragma endscop
}
