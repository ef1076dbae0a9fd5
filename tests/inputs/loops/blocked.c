// n=0,1,9 | x=n o=n
void copy_tiles(int n, const float *x, float *o) { for (int ii = 0; ii < n; ii += 4) for (int i = ii; i < (ii + 4 < n ? ii + 4 : n); i++) o[i] = x[i]; }

// n=0,1,9 | x=n
double sum_tiles(int n, const double *x) { double s = 0; for (int b = 0; b < n; b += 8) { double t = 0; int end = b + 8 < n ? b + 8 : n; for (int i = b; i < end; i++) t += x[i]; s += t; } return s; }

// n=0,1,6 m=0,2,5 | a=n*m o=m*n
void transpose_tiles(int n, int m, const double *a, double *o)
{ for (int ii = 0; ii < n; ii += 3) for (int jj = 0; jj < m; jj += 3) for (int i = ii; i < n && i < ii + 3; i++) for (int j = jj; j < m && j < jj + 3; j++) o[j*n+i] = a[i*m+j]; }

// n=0,1,6 m=0,2,5 | A=n*m x=m y=n
void mv_tiles(int n, int m, const double *A, const double *x, double *y)
{ for (int i = 0; i < n; i++) y[i] = 0; for (int jj = 0; jj < m; jj += 4) { int e = jj + 4 > m ? m : jj + 4; for (int i = 0; i < n; i++) for (int j = jj; j < e; j++) y[i] += A[i*m+j] * x[j]; } }

// n=0,1,6 k=0,1,5 m=0,2,7 | A=n*k B=k*m C=n*m
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
void gemm_blocked3(int n, int k, int m, const float *restrict A, const float *restrict B, float *restrict C)
{ for (int ii = 0; ii < n; ii += 4) for (int jj = 0; jj < m; jj += 4) for (int kk = 0; kk < k; kk += 4)
    for (int i = ii; i < LEAST(ii + 4, n); i++) for (int j = jj; j < LEAST(jj + 4, m); j++) for (int p = kk; p < LEAST(kk + 4, k); p++)
      C[i*m+j] += A[i*k+p] * B[p*m+j]; }

// n=0,1,6 k=0,1,5 m=0,2,7 | A=n*k B=k*m C=n*m
void gemm_blocked_acc(int n, int k, int m, const double *restrict A, const double *restrict B, double *restrict C)
{ for (int ii = 0; ii < n; ii += 2) for (int jj = 0; jj < m; jj += 3) { int ie = ii + 2 < n ? ii + 2 : n, je = jj + 3 < m ? jj + 3 : m;
    for (int i = ii; i < ie; i++) for (int j = jj; j < je; j++) { double s = 0; for (int p = 0; p < k; p++) s += A[i*k+p] * B[p*m+j]; C[i*m+j] = s; } } }

// | A=96 B=96 C=64
void gemm_fixed_tiles(const float A[8][12], const float B[12][8], float C[8][8])
{ for (int i = 0; i < 8; i += 4) for (int j = 0; j < 8; j += 4) for (int k = 0; k < 12; k += 4)
    for (int ii = 0; ii < 4; ii++) for (int jj = 0; jj < 4; jj++) for (int kk = 0; kk < 4; kk++) C[i+ii][j+jj] += A[i+ii][k+kk] * B[k+kk][j+jj]; }

// | A=96 B=96 C=64
void gemm_packed_b(const double A[8][12], const double B[12][8], double C[8][8])
{ for (int j = 0; j < 8; j += 4) { double P[12][4]; for (int k = 0; k < 12; k++) for (int q = 0; q < 4; q++) P[k][q] = B[k][j+q];
    for (int i = 0; i < 8; i++) for (int q = 0; q < 4; q++) { double s = C[i][j+q]; for (int k = 0; k < 12; k++) s += A[i][k] * P[k][q]; C[i][j+q] = s; } } }

// h=0,1,5 w=0,3,6 | u=h*w v=h*w
void stencil_tiles(int h, int w, const double *u, double *v)
{ for (int ii = 1; ii < h - 1; ii += 2) for (int i = ii; i < (ii + 2 < h - 1 ? ii + 2 : h - 1); i++) for (int j = 1; j < w - 1; j++) v[i*w+j] = u[i*w+j-1] + u[i*w+j+1] + u[(i-1)*w+j] + u[(i+1)*w+j]; }

// n=0,1,9 | x=4*n y=4*n
void axpy_blocks_exact(int n, float a, const float *x, float *y) { for (int b = 0; b < n; b++) for (int k = 0; k < 4; k++) y[b*4+k] += a * x[b*4+k]; }

// n=0,1,9 | x=n
float max_tiles(int n, const float *x) { float m = -FLT_MAX; for (int b = 0; b < n; b += 4) for (int i = b; i < b + 4 && i < n; i++) if (x[i] > m) m = x[i]; return m; }

// n=0,1,9 | x=n y=n
double dot_tiles_partial(int n, const double *x, const double *y) { double total = 0; for (int b = 0; b < n; b += 3) { double part = 0; for (int i = b; i < b + 3; i++) { if (i >= n) break; part += x[i]*y[i]; } total += part; } return total; }

// n=0,1,6 | a=n*n c=n*n
void syrk_tiles(int n, const double *restrict a, double *restrict c)
{ for (int ii = 0; ii < n; ii += 4) for (int i = ii; i < (ii + 4 < n ? ii + 4 : n); i++) for (int j = 0; j <= i; j++) for (int k = 0; k < n; k++) c[i*n+j] += a[i*n+k] * a[j*n+k]; }

// n=0,1,9 t=1,2,4 | x=n o=n
void tiles_open(int n, int t, const float *x, float *o) { for (int b = 0; b < n; b += 4) { int e = n - b < 4 ? n - b : 4; for (int i = 0; i < e; i++) o[b+i] = x[b+i] * t; } }

// nb=0,1,3 | A=nb*16 x=nb*4 y=nb*4
void block_diagonal(int nb, const float *A, const float *x, float *y)
{ for (int b = 0; b < nb; b++) for (int i = 0; i < 4; i++) { float s = 0; for (int j = 0; j < 4; j++) s += A[b*16 + i*4 + j] * x[b*4+j]; y[b*4+i] = s; } }

// n=0,1,6 k=0,1,5 m=0,2,7 | A=n*k B=k*m C=n*m
void gemm_ikj_blocked_k(int n, int k, int m, const float *restrict A, const float *restrict B, float *restrict C)
{ for (int i = 0; i < n*m; i++) C[i] = 0; for (int kk = 0; kk < k; kk += 2) for (int i = 0; i < n; i++) for (int p = kk; p < (kk + 2 < k ? kk + 2 : k); p++) for (int j = 0; j < m; j++) C[i*m+j] += A[i*k+p] * B[p*m+j]; }
