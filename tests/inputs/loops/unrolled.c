// n=0,1,2,9 | x=n
double sum_even(int n, const double *x) { double s = 0; for (int i = 0; i < n; i += 2) s += x[i]; return s; }

// n=0,1,2,9 | x=n
double sum_odd(int n, const double *x) { double s = 0; for (int i = 1; i < n; i += 2) s += x[i]; return s; }

// n=0,1,2,10 | x=n
float energy_thirds(int n, const float *x) { float e = 0; for (int i = 0; i < n; i += 3) e += x[i] * x[i]; return e; }

// n=0,1,2,9 | x=n y=n
double dot_by2(int n, const double *x, const double *y)
{ double s = 0; int i; for (i = 0; i + 1 < n; i += 2) { s += x[i] * y[i]; s += x[i+1] * y[i+1]; } if (i < n) s += x[i] * y[i]; return s; }

// n=0,1,4,11 | x=n y=n
float dot_by4_accumulators(int n, const float *x, const float *y)
{ float s0 = 0, s1 = 0, s2 = 0, s3 = 0; int i = 0;
  for (; i < n - 3; i += 4) { s0 += x[i]*y[i]; s1 += x[i+1]*y[i+1]; s2 += x[i+2]*y[i+2]; s3 += x[i+3]*y[i+3]; }
  for (; i < n; i++) s0 += x[i]*y[i]; return s0 + s1 + s2 + s3; }

// n=0,1,5,13 | x=n y=n
void axpy_by5(int n, float a, const float *x, float *y)
{ int m = n % 5; for (int i = 0; i < m; i++) y[i] += a * x[i];
  for (int i = m; i < n; i += 5) { y[i] += a*x[i]; y[i+1] += a*x[i+1]; y[i+2] += a*x[i+2]; y[i+3] += a*x[i+3]; y[i+4] += a*x[i+4]; } }

// n=0,1,5,13 | x=n y=n
double dot_by5_first(int n, const double *x, const double *y)
{ double t = 0; int m = n % 5, i; for (i = 0; i < m; i++) t += x[i] * y[i];
  for (; i < n; i += 5) t += x[i]*y[i] + x[i+1]*y[i+1] + x[i+2]*y[i+2] + x[i+3]*y[i+3] + x[i+4]*y[i+4]; return t; }

// n=0,1,4,10 | x=n
void scale_by4(int n, double a, double *x)
{ int i, m = n / 4 * 4; for (i = 0; i < m; i += 4) { x[i] *= a; x[i+1] *= a; x[i+2] *= a; x[i+3] *= a; } for (i = m; i < n; i++) x[i] *= a; }

// n=0,1,4,10 | x=n o=n
void add_by2_peeled(int n, const int *x, int *o)
{ int i = 0; if (n & 1) { o[0] = x[0] + 3; i = 1; } for (; i < n; i += 2) { o[i] = x[i] + 3; o[i+1] = x[i+1] + 3; } }

// n=0,1,4,6 | x=2*n o=n
void pair_sums(int n, const float *x, float *o) { for (int i = 0; i < n; i++) o[i] = x[2*i] + x[2*i+1]; }

// n=0,1,4,6 | x=2*n
void swap_pairs(int n, double *x) { for (int i = 0; i < 2*n; i += 2) { double t = x[i]; x[i] = x[i+1]; x[i+1] = t; } }

// n=0,2,4,8 | x=n
void butterfly_pairs(int n, float *x) { for (int i = 0; i + 1 < n; i += 2) { float a = x[i], b = x[i+1]; x[i] = a + b; x[i+1] = a - b; } }

// n=0,1,4,11 | x=n
float sum_by4_one(int n, const float *x)
{ float s = 0; int i = 0, m = n - n % 4; while (i < m) { s += x[i] + x[i+1] + x[i+2] + x[i+3]; i += 4; } while (i < n) s += x[i++]; return s; }

// n=1,2,4,11 | x=n
float max_by2(int n, const float *x)
{ float m0 = x[0], m1 = x[0]; int i; for (i = 0; i + 1 < n; i += 2) { if (x[i] > m0) m0 = x[i]; if (x[i+1] > m1) m1 = x[i+1]; }
  if (i < n && x[i] > m0) m0 = x[i]; return m0 > m1 ? m0 : m1; }

// n=0,1,3,9 m=0,1,4,5 | A=n*m x=m y=n
void gemv_rows_by2(int n, int m, const double *A, const double *x, double *y)
{ int i = 0; for (; i + 2 <= n; i += 2) { double s = 0, t = 0; for (int j = 0; j < m; j++) { s += A[i*m+j] * x[j]; t += A[(i+1)*m+j] * x[j]; } y[i] = s; y[i+1] = t; }
  for (; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) s += A[i*m+j] * x[j]; y[i] = s; } }

// | a=64 b=64 c=64
void gemm_by2x2(const float a[8][8], const float b[8][8], float c[8][8])
{ for (int i = 0; i < 8; i += 2) for (int j = 0; j < 8; j += 2) { float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int k = 0; k < 8; k++) { c00 += a[i][k]*b[k][j]; c01 += a[i][k]*b[k][j+1]; c10 += a[i+1][k]*b[k][j]; c11 += a[i+1][k]*b[k][j+1]; }
    c[i][j] = c00; c[i][j+1] = c01; c[i+1][j] = c10; c[i+1][j+1] = c11; } }

// n=0,1,3,8 | x=4*n o=4*n
void rgba_gain(int n, const unsigned char *x, unsigned char *o)
{ for (int i = 0; i < 4*n; i += 4) { o[i] = x[i] / 2; o[i+1] = x[i+1] / 2; o[i+2] = x[i+2] / 2; o[i+3] = x[i+3]; } }

// n=0,1,4,9 | x=n o=n
void negate_every_third(int n, const float *x, float *o)
{ for (int i = 0; i < n; i++) o[i] = x[i]; for (int i = 2; i < n; i += 3) o[i] = -x[i]; }

// | x=12 y=12
double dot12_unrolled_whole(const double x[12], const double y[12])
{ double s = 0; for (int i = 0; i < 12; i += 3) s += x[i]*y[i] + x[i+1]*y[i+1] + x[i+2]*y[i+2]; return s; }

// n=0,1,4,9 | x=n o=n
void copy_down_by2(int n, const double *x, double *o)
{ int i = n; while (i >= 2) { i -= 2; o[i+1] = x[i+1]; o[i] = x[i]; } if (i) o[0] = x[0]; }

// n=0,1,8,17 | a=n b=n
int sad_by8(int n, const unsigned char *a, const unsigned char *b)
{ int s = 0, i = 0; for (; i + 8 <= n; i += 8) for (int k = 0; k < 8; k++) { int d = a[i+k] - b[i+k]; s += d < 0 ? -d : d; }
  for (; i < n; i++) { int d = a[i] - b[i]; s += d < 0 ? -d : d; } return s; }

// n=0,1,4,9 | x=n o=n
void duff_like_tail(int n, const float *x, float *o)
{ int q = n >> 2; for (int b = 0; b < q; b++) { o[4*b] = x[4*b] + 1; o[4*b+1] = x[4*b+1] + 1; o[4*b+2] = x[4*b+2] + 1; o[4*b+3] = x[4*b+3] + 1; }
  for (int i = 4*q; i < n; i++) o[i] = x[i] + 1; }

// n=0,1,4,7 | re=n im=n z=2*n
void split_complex(int n, const double *z, double *re, double *im)
{ for (int i = 0, k = 0; i < n; i++, k += 2) { re[i] = z[k]; im[i] = z[k+1]; } }

// n=0,1,4,7 | l=n r=n o=2*n
void interleave2(int n, const short *l, const short *r, short *o)
{ short *p = o; for (int i = 0; i < n; i++) { *p++ = l[i]; *p++ = r[i]; } }

// n=0,1,4,10 | x=n y=n
void rot_by2(int n, float c, float s, float *x, float *y)
{ int i; for (i = 0; i < n - 1; i += 2) { float a = x[i], b = y[i], d = x[i+1], e = y[i+1]; x[i] = c*a + s*b; y[i] = c*b - s*a; x[i+1] = c*d + s*e; y[i+1] = c*e - s*d; }
  if (n % 2) { float a = x[n-1], b = y[n-1]; x[n-1] = c*a + s*b; y[n-1] = c*b - s*a; } }

// n=0,1,3,9 inc=1,2,3,2 | x=n*inc y=n
void gather_stride(int n, int inc, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i*inc]; }

// n=0,1,3,9 | x=3*n
float third_channel_mean(int n, const float *x) { float s = 0; for (int i = 2; i < 3*n; i += 3) s += x[i]; return s / (n + 1); }
