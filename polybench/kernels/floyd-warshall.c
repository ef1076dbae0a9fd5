/* floyd-warshall of PolyBench/C 4.2.1: path := lengths of the shortest paths between all pairs of nodes. */

#if defined(DATA_TYPE_IS_DOUBLE)
#define DATA_TYPE double
#elif defined(DATA_TYPE_IS_FLOAT)
#define DATA_TYPE float
#else
#define DATA_TYPE int
#endif

#ifndef N /* LARGE */
#define N 2800
#endif

void kernel_floyd_warshall(DATA_TYPE path[N][N])
{
  int i, j, k;

#pragma scop
  for (k = 0; k < N; k++)
    for (i = 0; i < N; i++)
      for (j = 0; j < N; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
#pragma endscop
}
