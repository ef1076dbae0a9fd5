// n=1000:4000000 | a=n
float total(int n, const float *restrict a)
{ float s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }

// n=1000:4000000 | a=n
double mean_f64(int n, const double *restrict a)
{ double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s / n; }

// n=1000:4000000 | a=n
float largest(int n, const float *restrict a)
{ float s = a[0]; for (int i = 1; i < n; i++) if (a[i] > s) s = a[i]; return s; }

// n=1000:4000000 | a=n
int total_u8(int n, const unsigned char *restrict a)
{ int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }

// n=1000:4000000 | a=n
int energy_i16(int n, const short *restrict a)
{ int s = 0; for (int i = 0; i < n; i++) s += (a[i] >> 4) * (a[i] >> 4) >> 8; return s; }

// n=1000:4000000 | a=n b=n
int differences_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b)
{ int s = 0; for (int i = 0; i < n; i++) { int d = a[i] - b[i]; s += d < 0 ? -d : d; } return s; }

// n=1000:4000000 | a=n
int count_over(int n, const float *restrict a)
{ int s = 0; for (int i = 0; i < n; i++) s += a[i] > 0.5f; return s; }

// n=1000:4000000 | a=n o=n
void normal(int n, const double *restrict a, double *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.3989422804014327 * exp(-0.5 * a[i] * a[i]); }

// n=64:4000 m=100:1000 | a=n*m o=m
void column_means(int n, int m, const float a[restrict n][m], float o[restrict m])
{ for (int j = 0; j < m; j++) o[j] = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[j] += a[i][j];
  for (int j = 0; j < m; j++) o[j] /= n; }

// n=64:4000 m=100:1000 | a=n*m o=n
void row_max(int n, int m, const float a[restrict n][m], float o[restrict n])
{ for (int i = 0; i < n; i++) { float s = a[i][0]; for (int j = 1; j < m; j++) if (a[i][j] > s) s = a[i][j]; o[i] = s; } }

// n=64:4000 m=100:1000 | a=n*m
void centre(int n, int m, double a[restrict n][m])
{ for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) s += a[i][j]; s /= m;
    for (int j = 0; j < m; j++) a[i][j] -= s; } }

// n=1000:4000000 | a=n
double variance(int n, const double *restrict a)
{ double s = 0, v = 0; for (int i = 0; i < n; i++) s += a[i]; s /= n;
  for (int i = 0; i < n; i++) v += (a[i] - s) * (a[i] - s); return v / n; }

// n=1000:4000000 | a=n w=n o=n
void weigh(int n, const double *restrict a, const double *restrict w, double *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] * w[i] / (1.0 + w[i]*w[i]); }

// n=64:4000 m=100:1000 | a=n*m o=n
void row_norms(int n, int m, const double a[restrict n][m], double o[restrict n])
{ for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) s += a[i][j]*a[i][j]; o[i] = sqrt(s); } }

// n=1000:4000000 | a=n b=n
double covariance(int n, const double *restrict a, const double *restrict b)
{ double s = 0, t = 0, c = 0; for (int i = 0; i < n; i++) { s += a[i]; t += b[i]; } s /= n; t /= n;
  for (int i = 0; i < n; i++) c += (a[i] - s) * (b[i] - t); return c / (n - 1); }

// n=1000:4000000 | a=n
int argmax(int n, const float *restrict a)
{ int k = 0; float s = a[0]; for (int i = 1; i < n; i++) if (a[i] > s) { s = a[i]; k = i; } return k; }
