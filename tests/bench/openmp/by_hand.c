// n=50000:4000000 | x=n e=n
void oscillator(int n, const float *restrict x, float *restrict e)
{
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) e[i] = sinf(x[i]) * cosf(0.5f * x[i]); }

// n=50000:4000000 | r=n o=n
void lennard_jones(int n, const double *restrict r, double *restrict o) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) { double s = 1.0 / (r[i]*r[i] + 0.1), t = s*s*s; o[i] = 4.0 * (t*t - t); } }

// n=50000:4000000 | a=n o=n
void sigmoid(int n, const float *restrict a, float *restrict o) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) o[i] = 1.0f / (1.0f + expf(-a[i])); }

// n=50000:4000000 | a=n o=n
void gelu(int n, const float *restrict a, float *restrict o) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++)
    o[i] = 0.5f * a[i] * (1.0f + tanhf(0.7978845f * (a[i] + 0.044715f * a[i]*a[i]*a[i]))); }

// n=50000:4000000 | a=3*n o=n
void gray_u8(int n, const unsigned char *restrict a, unsigned char *restrict o) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) o[i] = (77*a[3*i] + 150*a[3*i+1] + 29*a[3*i+2]) >> 8; }

// n=50000:4000000 | a=n
float total(int n, const float *restrict a) {
  float s = 0;
#pragma omp parallel for simd reduction(+:s)
  for (int i = 0; i < n; i++) s += a[i];
  return s; }

// n=50000:4000000 | a=n b=n
float cosine(int n, const float *restrict a, const float *restrict b) {
  float x = 0, y = 0, z = 0;
#pragma omp parallel for simd reduction(+:x,y,z)
  for (int i = 0; i < n; i++) { x += a[i]*b[i]; y += a[i]*a[i]; z += b[i]*b[i]; }
  return x / sqrtf(y * z + 1e-9f); }

// n=500:4000 m=100:1000 | x=n*m
void softmax(int n, int m, float x[restrict n][m]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float mx = x[i][0];
#pragma omp simd reduction(max:mx)
    for (int j = 1; j < m; j++) mx = x[i][j] > mx ? x[i][j] : mx;
    float s = 0.0f;
#pragma omp simd reduction(+:s)
    for (int j = 0; j < m; j++) { x[i][j] = expf(x[i][j] - mx); s += x[i][j]; }
#pragma omp simd
    for (int j = 0; j < m; j++) x[i][j] /= s; } }

// n=500:4000 m=100:1000 | x=n*m w=m o=n*m
void rmsnorm(int n, int m, const float x[restrict n][m], const float w[restrict m], float o[restrict n][m]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float s = 0;
#pragma omp simd reduction(+:s)
    for (int j = 0; j < m; j++) s += x[i][j]*x[i][j];
    s = 1.0f / sqrtf(s / m + 1e-5f);
#pragma omp simd
    for (int j = 0; j < m; j++) o[i][j] = w[j] * (s * x[i][j]); } }

// n=500:4000 m=100:1000 | a=n*m b=m o=n
void linear_i8(int n, int m, const signed char a[restrict n][m], const signed char b[restrict m],
  int o[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) { int s = 0;
#pragma omp simd reduction(+:s)
    for (int j = 0; j < m; j++) s += a[i][j]*b[j];
    o[i] = s; } }

// h=200:2000 w=300:3000 | a=h*w o=h*w
void blur3(int h, int w, const float a[restrict h][w], float o[restrict h][w]) {
#pragma omp parallel for
  for (int i = 1; i < h-1; i++)
#pragma omp simd
    for (int j = 1; j < w-1; j++) { float s = 0;
      for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) s += a[i+y][j+x];
      o[i][j] = s / 9.0f; } }

// h=200:2000 w=300:3000 | u=h*w o=h*w
void laplace(int h, int w, const double u[restrict h][w], double o[restrict h][w]) {
#pragma omp parallel for
  for (int i = 1; i < h-1; i++)
#pragma omp simd
    for (int j = 1; j < w-1; j++) o[i][j] = u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4.0*u[i][j]; }

// d=32:150 h=32:150 w=40:160 | u=d*h*w o=d*h*w
void heat_3d(int d, int h, int w, const float u[restrict d][h][w], float o[restrict d][h][w]) {
#pragma omp parallel for
  for (int i = 1; i < d-1; i++) for (int j = 1; j < h-1; j++)
#pragma omp simd
    for (int k = 1; k < w-1; k++)
      o[i][j][k] = u[i][j][k] + 0.1f * (u[i-1][j][k] + u[i+1][j][k] + u[i][j-1][k] + u[i][j+1][k]
        + u[i][j][k-1] + u[i][j][k+1] - 6.0f*u[i][j][k]); }

// n=300:1500 | x=n y=n z=n f=3*n
void n_body(int n, const float *restrict x, const float *restrict y, const float *restrict z,
  float f[restrict n][3]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) { float p = 0, q = 0, r = 0;
#pragma omp simd reduction(+:p,q,r)
    for (int j = 0; j < n; j++) {
      float a = x[j] - x[i], b = y[j] - y[i], c = z[j] - z[i], d = a*a + b*b + c*c + 0.01f, e = 1.0f / (d * sqrtf(d));
      p += a*e; q += b*e; r += c*e; }
    f[i][0] = p; f[i][1] = q; f[i][2] = r; } }

// m=100:700 n=120:800 k=80:600 | a=m*k b=k*n c=m*n
void product(int m, int n, int k, const float a[restrict m][k], const float b[restrict k][n],
  float c[restrict m][n]) {
#pragma omp parallel for
  for (int i = 0; i < m; i++) {
#pragma omp simd
    for (int j = 0; j < n; j++) c[i][j] = 0;
    for (int p = 0; p < k; p++)
#pragma omp simd
      for (int j = 0; j < n; j++) c[i][j] += a[i][p] * b[p][j]; } }

// n=400:2000 m=300:1900 | a=n*m x=m y=n
void matrix_vector(int n, int m, const double a[restrict n][m], const double x[restrict m], double y[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) { double s = 0;
#pragma omp simd reduction(+:s)
    for (int j = 0; j < m; j++) s += a[i][j] * x[j];
    y[i] = s; } }
