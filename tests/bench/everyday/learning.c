// n=64:4000 m=100:1000 | x=n*m
void softmax(int n, int m, float x[restrict n][m])
{ for (int i = 0; i < n; i++) { float mx = x[i][0];
    for (int j = 1; j < m; j++) if (x[i][j] > mx) mx = x[i][j];
    float s = 0.0f; for (int j = 0; j < m; j++) { x[i][j] = expf(x[i][j] - mx); s += x[i][j]; }
    for (int j = 0; j < m; j++) x[i][j] /= s; } }

// n=64:4000 m=100:1000 | x=n*m w=m o=n*m
void rmsnorm(int n, int m, const float x[restrict n][m], const float w[restrict m],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) { float s = 0;
    for (int j = 0; j < m; j++) s += x[i][j]*x[i][j]; s = 1.0f / sqrtf(s / m + 1e-5f);
    for (int j = 0; j < m; j++) o[i][j] = w[j] * (s * x[i][j]); } }

// n=64:4000 m=100:1000 | x=n*m w=m b=m o=n*m
void layernorm(int n, int m, const float x[restrict n][m], const float w[restrict m],
  const float b[restrict m], float o[restrict n][m]) { for (int i = 0; i < n; i++) { float s = 0, v = 0;
    for (int j = 0; j < m; j++) s += x[i][j]; s /= m;
    for (int j = 0; j < m; j++) v += (x[i][j] - s) * (x[i][j] - s); v = 1.0f / sqrtf(v / m + 1e-5f);
    for (int j = 0; j < m; j++) o[i][j] = (x[i][j] - s) * v * w[j] + b[j]; } }

// n=64:4000 m=100:1000 | x=n*m b=m o=n*m
void bias_relu(int n, int m, const float x[restrict n][m], const float b[restrict m],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    float v = x[i][j] + b[j]; o[i][j] = v > 0 ? v : 0; } }

// n=64:4000 m=100:1000 | a=n*m b=m o=n
void linear_i8(int n, int m, const signed char a[restrict n][m], const signed char b[restrict m],
  int o[restrict n]) { for (int i = 0; i < n; i++) { int s = 0; for (int j = 0; j < m; j++) s += a[i][j]*b[j]; o[i] = s; } }

// n=1000:4000000 | a=n o=n
void sigmoid(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 1.0f / (1.0f + expf(-a[i])); }

// n=1000:4000000 | a=n o=n
void gelu(int n, const float *restrict a, float *restrict o) { for (int i = 0; i < n; i++)
  o[i] = 0.5f * a[i] * (1.0f + tanhf(0.7978845f * (a[i] + 0.044715f * a[i]*a[i]*a[i]))); }

// n=1000:4000000 | a=n o=n
void quantise(int n, const float *restrict a, signed char *restrict o) { for (int i = 0; i < n; i++) {
  float v = a[i] * 20.0f; v = v > 127.0f ? 127.0f : v < -128.0f ? -128.0f : v; o[i] = (signed char)v; } }

// n=1000:4000000 | a=n o=n
void dequantise(int n, const signed char *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] * 0.05f; }

// n=1000:4000000 | g=n m=n v=n w=n
void adam(int n, const float *restrict g, float *restrict m, float *restrict v, float *restrict w)
{ for (int i = 0; i < n; i++) { m[i] = 0.9f*m[i] + 0.1f*g[i]; v[i] = 0.99f*v[i] + 0.01f*g[i]*g[i];
    w[i] -= 0.001f * m[i] / (sqrtf(fabsf(v[i])) + 1e-8f); } }

// n=1000:4000000 | a=n b=n
int dot_i8(int n, const signed char *restrict a, const signed char *restrict b)
{ int s = 0; for (int i = 0; i < n; i++) s += a[i]*b[i]; return s; }

// n=1000:4000000 | a=n o=n
void hard_swish(int n, const float *restrict a, float *restrict o) { for (int i = 0; i < n; i++) {
  float v = a[i] + 3.0f; v = v < 0 ? 0 : v > 6.0f ? 6.0f : v; o[i] = a[i] * v * (1.0f / 6.0f); } }

// n=1000:4000000 | a=n b=n
double squared_error(int n, const double *restrict a, const double *restrict b)
{ double s = 0; for (int i = 0; i < n; i++) s += (a[i] - b[i]) * (a[i] - b[i]); return s / n; }

// n=1000:4000000 | g=n m=n w=n
void momentum(int n, const float *restrict g, float *restrict m, float *restrict w)
{ for (int i = 0; i < n; i++) { m[i] = 0.9f*m[i] + g[i]; w[i] -= 0.01f*m[i]; } }

// n=1000:4000000 | a=n b=n o=n
void add_i8(int n, const signed char *restrict a, const signed char *restrict b, signed char *restrict o)
{ for (int i = 0; i < n; i++) { int s = a[i] + b[i]; o[i] = s > 127 ? 127 : s < -128 ? -128 : s; } }

// n=64:4000 m=100:1000 | x=n*m s=m b=m o=n*m
void batch_norm(int n, int m, const float x[restrict n][m], const float s[restrict m], const float b[restrict m],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[i][j] = x[i][j]*s[j] + b[j]; }

// n=64:2000 m=100:1000 | a=n*m o=n*m
void softmax_columns(int n, int m, const float a[restrict n][m], float o[restrict n][m])
{ for (int j = 0; j < m; j++) { float s = 0, t = a[0][j]; for (int i = 1; i < n; i++) if (a[i][j] > t) t = a[i][j];
    for (int i = 0; i < n; i++) { o[i][j] = expf(a[i][j] - t); s += o[i][j]; }
    for (int i = 0; i < n; i++) o[i][j] /= s; } }

// c=8:64 h=30:200 w=40:200 | a=c*(h+2)*(w+2) k=9*c o=c*h*w
void depthwise(int c, int h, int w, const float a[restrict c][h+2][w+2], const float k[restrict c][3][3],
  float o[restrict c][h][w]) { for (int q = 0; q < c; q++) for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) {
    float s = 0; for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++) s += a[q][i+y][j+x]*k[q][y][x]; o[q][i][j] = s; } }

// n=64:4000 m=100:1000 | x=n*m b=m r=n*m o=n*m
void bias_residual(int n, int m, const float x[restrict n][m], const float b[restrict m],
  const float r[restrict n][m], float o[restrict n][m])
{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[i][j] = x[i][j] + b[j] + r[i][j]; }

// n=1000:4000000 | a=n m=n o=n
void masked_fill(int n, const float *restrict a, const unsigned char *restrict m, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = m[i] ? a[i] : -1e9f; }
