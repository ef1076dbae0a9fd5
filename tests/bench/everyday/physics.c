// h=60:2000 w=100:3000 | u=h*w o=h*w
void laplace(int h, int w, const double u[restrict h][w], double o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    o[i][j] = u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4.0*u[i][j]; }

// h=60:2000 w=100:3000 | u=h*w p=h*w
void wave(int h, int w, const float u[restrict h][w], float p[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    p[i][j] = 2*u[i][j] - p[i][j] + 0.2f*(u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4*u[i][j]); }

// h=60:2000 w=100:3000 | u=h*w v=h*w o=h*w
void curl(int h, int w, const float u[restrict h][w], const float v[restrict h][w], float o[restrict h][w])
{ for (int i = 0; i < h-1; i++) for (int j = 0; j < w-1; j++) o[i][j] = v[i][j+1] - v[i][j] - u[i+1][j] + u[i][j]; }

// n=1000:4000000 | x=3*n v=3*n
void drift(int n, float *restrict x, const float *restrict v) { for (int i = 0; i < n; i++) {
  x[3*i] += 0.01f*v[3*i]; x[3*i+1] += 0.01f*v[3*i+1]; x[3*i+2] += 0.01f*v[3*i+2]; } }

// n=1000:4000000 | v=3*n o=n
void kinetic(int n, const float *restrict v, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.5f * (v[3*i]*v[3*i] + v[3*i+1]*v[3*i+1] + v[3*i+2]*v[3*i+2]); }

// n=1000:4000000 | x=2*n y=2*n o=2*n
void stereo_sum(int n, const double *restrict x, const double *restrict y, double *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = x[2*i] + 0.5*y[2*i+1]; o[2*i+1] = x[2*i+1] - 0.5*y[2*i]; } }

// n=1000:4000000 | r=n o=n
void lennard_jones(int n, const double *restrict r, double *restrict o) { for (int i = 0; i < n; i++) {
  double s = 1.0 / (r[i]*r[i] + 0.1), t = s*s*s; o[i] = 4.0 * (t*t - t); } }

// n=1000:4000000 | x=n e=n
void oscillator(int n, const float *restrict x, float *restrict e)
{ for (int i = 0; i < n; i++) e[i] = sinf(x[i]) * cosf(0.5f * x[i]); }

// n=1000:4000000 | a=n b=n c=n d=n y=n
void runge_kutta(int n, const double *restrict a, const double *restrict b, const double *restrict c,
  const double *restrict d, double *restrict y) { for (int i = 0; i < n; i++)
  y[i] += 0.001 * (a[i] + 2.0*b[i] + 2.0*c[i] + d[i]); }

// h=60:2000 w=100:3000 | u=h*w v=h*w o=h*w
void advect(int h, int w, const float u[restrict h][w], const float v[restrict h][w], float o[restrict h][w])
{ for (int i = 1; i < h; i++) for (int j = 1; j < w; j++)
    o[i][j] = u[i][j] - 0.1f * v[i][j] * (u[i][j] - u[i-1][j] + u[i][j] - u[i][j-1]); }

// d=16:150 h=16:150 w=20:160 | u=d*h*w o=d*h*w
void heat_3d(int d, int h, int w, const float u[restrict d][h][w], float o[restrict d][h][w])
{ for (int i = 1; i < d-1; i++) for (int j = 1; j < h-1; j++) for (int k = 1; k < w-1; k++)
    o[i][j][k] = u[i][j][k] + 0.1f * (u[i-1][j][k] + u[i+1][j][k] + u[i][j-1][k] + u[i][j+1][k]
      + u[i][j][k-1] + u[i][j][k+1] - 6.0f*u[i][j][k]); }

// n=1000:4000000 | r=n o=n
void yukawa(int n, const float *restrict r, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = expf(-r[i]*r[i]) / (0.5f + r[i]*r[i]); }

// n=100:1500 | x=n y=n z=n f=3*n
void n_body(int n, const float *restrict x, const float *restrict y, const float *restrict z, float f[restrict n][3])
{ for (int i = 0; i < n; i++) { float p = 0, q = 0, r = 0; for (int j = 0; j < n; j++) {
    float a = x[j] - x[i], b = y[j] - y[i], c = z[j] - z[i], d = a*a + b*b + c*c + 0.01f, e = 1.0f / (d * sqrtf(d));
    p += a*e; q += b*e; r += c*e; } f[i][0] = p; f[i][1] = q; f[i][2] = r; } }
