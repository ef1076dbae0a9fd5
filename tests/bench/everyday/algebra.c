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
