// n=1000:4000000 | a=n b=n
float dot(int n, const float *restrict a, const float *restrict b)
{ float s = 0; for (int i = 0; i < n; i++) s += a[i]*b[i]; return s; }

// n=1000:4000000 | a=n o=n
void axpy_f64(int n, const double *restrict a, double *restrict o)
{ for (int i = 0; i < n; i++) o[i] += 1.5 * a[i]; }

// n=1000:4000000 | a=n o=n
void rotate(int n, float *restrict a, float *restrict o) { for (int i = 0; i < n; i++) {
  float x = a[i], y = o[i]; a[i] = 0.8f*x + 0.6f*y; o[i] = 0.8f*y - 0.6f*x; } }

// n=1000:4000000 | a=3*n o=3*n
void turn_points(int n, const double *restrict a, double *restrict o) { for (int i = 0; i < n; i++) {
  double x = a[3*i], y = a[3*i+1], z = a[3*i+2];
  o[3*i] = 0.36*x + 0.48*y - 0.8*z; o[3*i+1] = -0.8*x + 0.6*y; o[3*i+2] = 0.48*x + 0.64*y + 0.6*z; } }

// n=64:2000 m=100:3000 | a=n*m x=m o=n
void gemv(int n, int m, const float a[restrict n][m], const float x[restrict m], float o[restrict n])
{ for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < m; j++) s += a[i][j]*x[j]; o[i] = s; } }

// n=64:2000 m=100:3000 | a=n*m x=n o=m
void gemv_transposed(int n, int m, const float a[restrict n][m], const float x[restrict n],
  float o[restrict m]) { for (int j = 0; j < m; j++) o[j] = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[j] += a[i][j]*x[i]; }

// n=64:2000 m=100:3000 | a=n*m x=n y=m
void ger(int n, int m, double a[restrict n][m], const double x[restrict n], const double y[restrict m])
{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] += x[i]*y[j]; }

// n=40:1000 m=30:1000 d=16:64 | a=n*d b=m*d o=n*m
void distances(int n, int m, int d, const float a[restrict n][d], const float b[restrict m][d],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0;
    for (int k = 0; k < d; k++) { float t = a[i][k] - b[j][k]; s += t*t; } o[i][j] = s; } }

// n=40:1000 m=30:1000 d=16:64 | a=n*d b=d*m o=n*m
void gemm(int n, int m, int d, const float a[restrict n][d], const float b[restrict d][m],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0;
    for (int k = 0; k < d; k++) s += a[i][k]*b[k][j]; o[i][j] = s; } }

// n=40:1000 m=30:1000 d=16:64 | a=n*d b=m*d o=n*m
void gemm_i8(int n, int m, int d, const signed char a[restrict n][d], const signed char b[restrict m][d],
  int o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { int s = 0;
    for (int k = 0; k < d; k++) s += a[i][k]*b[j][k]; o[i][j] = s; } }

// n=40:1000 m=30:1000 d=16:64 | a=n*d b=d*m o=n*m
void gemm_f64(int n, int m, int d, const double a[restrict n][d], const double b[restrict d][m],
  double o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { double s = 0;
    for (int k = 0; k < d; k++) s += a[i][k]*b[k][j]; o[i][j] = s; } }

// n=40:600 d=16:300 | a=n*d o=n*n
void gram(int n, int d, const float a[restrict n][d], float o[restrict n][n])
{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
    for (int k = 0; k < d; k++) s += a[i][k]*a[j][k]; o[i][j] = s; } }

// n=1000:4000000 | a=n b=n o=n
void triad(int n, const float *restrict a, const float *restrict b, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] + 3.0f*b[i]; }

// n=64:1500 | a=n*n x=n y=n
void syr2(int n, double a[restrict n][n], const double x[restrict n], const double y[restrict n])
{ for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i][j] += x[i]*y[j] + y[i]*x[j]; }

// n=1000:200000 | a=7*n x=n+6 o=n
void banded(int n, const double a[restrict n][7], const double *restrict x, double *restrict o)
{ for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < 7; k++) s += a[i][k]*x[i+k]; o[i] = s; } }

// n=100:2000 | a=n*n x=n o=n
void trmv(int n, const double a[restrict n][n], const double x[restrict n], double o[restrict n])
{ for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j <= i; j++) s += a[i][j]*x[j]; o[i] = s; } }

// n=1000:1000000 | a=n b=n c=n d=n e=n o=n
void tridiagonal(int n, const double *restrict a, const double *restrict b, const double *restrict c,
  const double *restrict d, double *restrict e, double *restrict o) {
  e[0] = c[0] / (b[0] + 4.0); o[0] = d[0] / (b[0] + 4.0);
  for (int i = 1; i < n; i++) { double m = 1.0 / (b[i] + 9.0 - a[i]*e[i-1]); e[i] = c[i]*m; o[i] = (d[i] - a[i]*o[i-1])*m; }
  for (int i = n-2; i >= 0; i--) o[i] -= e[i]*o[i+1]; }
