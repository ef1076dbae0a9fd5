// n=0,1,2,9 | x=n o=n
void scaled_copy(int n, const double *x, double *o)
{ double t[n + 1]; for (int i = 0; i < n; i++) t[i] = 2.0 * x[i]; for (int i = 0; i < n; i++) o[i] = t[i]; }

// | x=8 o=8
void smooth_twice(const float x[8], float o[8])
{ float t[8]; t[0] = x[0]; t[7] = x[7];
  for (int i = 1; i < 7; ++i) t[i] = (x[i-1] + x[i] + x[i+1]) / 3.0f;
  o[0] = t[0]; o[7] = t[7]; for (int i = 1; i < 7; ++i) o[i] = (t[i-1] + t[i] + t[i+1]) / 3.0f; }

// n=0,1,3,7 m=0,1,2,5 | A=n*m x=m o=n
void mv_local(int n, int m, double A[n][m], double x[m], double o[n])
{ double acc[n + 1]; int i, j; for (i = 0; i < n; i++) acc[i] = 0.0;
  for (j = 0; j < m; j++) for (i = 0; i < n; i++) acc[i] += A[i][j] * x[j];
  for (i = 0; i < n; i++) o[i] = acc[i]; }

// | a=9 b=9 c=9
void mat3_local(const double a[3][3], const double b[3][3], double c[3][3])
{ double r[3][3]; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { r[i][j] = 0;
    for (int k = 0; k < 3; k++) r[i][j] += a[i][k] * b[k][j]; }
  memcpy(c, r, sizeof r); }

// | v=4
double norm4_local(const double v[4])
{ double sq[4], s = 0; for (int i = 0; i < 4; i++) sq[i] = v[i] * v[i]; for (int i = 0; i < 4; i++) s += sq[i]; return sqrt(s); }

// h=0,1,2,6 w=0,1,3,5 | img=h*w o=h*w
void separable_copy(int h, int w, const float *img, float *o)
{ for (int y = 0; y < h; y++) { float row[64]; for (int x = 0; x < w; x++) row[x] = img[y * w + x] * 0.5f;
    for (int x = 0; x < w; x++) o[y * w + x] = row[x] + 1.0f; } }

// n=0,1,5,11 | a=n b=n
void swap_by_copy(int n, int *a, int *b)
{ int t[n + 1]; for (int i = 0; i < n; i++) t[i] = a[i]; for (int i = 0; i < n; i++) a[i] = b[i]; for (int i = 0; i < n; i++) b[i] = t[i]; }

// | w=16 o=4
void quantised_groups(const float w[4][4], float o[4])
{ float scale[4]; for (int g = 0; g < 4; g++) { float m = 0; for (int k = 0; k < 4; k++) if (fabsf(w[g][k]) > m) m = fabsf(w[g][k]); scale[g] = m / 7.0f; }
  for (int g = 0; g < 4; g++) o[g] = scale[g]; }

// n=1,2,7 | x=n
double mean_dev(int n, const double *x)
{ double d[n]; double m = 0; for (int i = 0; i < n; i++) m += x[i]; m /= n;
  for (int i = 0; i < n; i++) d[i] = fabs(x[i] - m); double s = 0; for (int i = 0; i < n; i++) s += d[i]; return s / n; }

// n=0,1,6 | q=4*n o=4*n
void butterflies4(int n, const float *q, float *o)
{ for (int i = 0; i < n; i++) { float t[4]; t[0] = q[4*i] + q[4*i+2]; t[1] = q[4*i] - q[4*i+2]; t[2] = q[4*i+1] + q[4*i+3]; t[3] = q[4*i+1] - q[4*i+3];
    o[4*i] = t[0] + t[2]; o[4*i+1] = t[1] + t[3]; o[4*i+2] = t[0] - t[2]; o[4*i+3] = t[1] - t[3]; } }

// | x=10
float dot_fixed_weights(const float x[10])
{ static const float w[10] = {1, 2, 3, 4, 5, 5, 4, 3, 2, 1}; float s = 0; for (int i = 0; i < 10; i++) s += w[i] * x[i]; return s; }

// n=0,1,4,8 | A=n*n o=n*n
void symmetrised(int n, const double *A, double *o)
{ double T[n + 1][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) T[j][i] = A[i*n+j];
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) o[i*n+j] = 0.5 * (A[i*n+j] + T[i][j]); }

// n=0,1,3,8 | x=n y=n
void hidden_layer(int n, const float *x, float *y)
{ static const float W[4] = {0.5f, -1.0f, 0.25f, 2.0f}; for (int i = 0; i < n; i++) { float h[4]; for (int k = 0; k < 4; k++) { h[k] = W[k] * x[i]; if (h[k] < 0) h[k] = 0; }
    y[i] = h[0] + h[1] + h[2] + h[3]; } }
