// n=0,1,3,9 k=1,2,3,3 | x=n h=k o=n
void fir_causal(int n, int k, const float *x, const float *h, float *o)
{ for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < k; j++) if (i - j >= 0) s += h[j] * x[i-j]; o[i] = s; } }

// n=0,1,3,9 k=1,2,3,3 | x=n h=k o=n
void fir_bounded(int n, int k, const double *x, const double *h, double *o)
{ for (int i = 0; i < n; i++) { o[i] = 0; for (int j = 0; j < k && j <= i; j++) o[i] += h[j] * x[i-j]; } }

// n=0,1,3,9 m=1,2,3,4 | x=n r=m
void autocorrelation(int n, int m, const double *x, double *r)
{ for (int k = 0; k < m; k++) { r[k] = 0; for (int i = 0; i < n - k; i++) r[k] += x[i] * x[i+k]; } }

// n=0,1,3,9 m=1,2,3,4 | x=n r=m
void autocorrelation_up(int n, int m, const float *x, float *r)
{ for (int k = 0; k < m; k++) { float s = 0; for (int i = k; i < n; i++) s += x[i] * x[i-k]; r[k] = s; } }

// n=0,1,3,7 b=0,1,1,2 | A=n*n x=n y=n
void band_mv(int n, int b, const double *A, const double *x, double *y)
{ for (int i = 0; i < n; i++) { double s = 0; for (int j = i - b; j <= i + b; j++) if (j >= 0 && j < n) s += A[i*n+j] * x[j]; y[i] = s; } }

// n=0,1,3,7 b=0,1,1,2 | A=n*(2*b+1) x=n y=n
void band_storage_mv(int n, int b, const double *A, const double *x, double *y)
{ for (int i = 0; i < n; i++) { double s = 0; for (int j = -b; j <= b; j++) { if (i + j < 0 || i + j >= n) continue; s += A[i*(2*b+1) + j + b] * x[i+j]; } y[i] = s; } }

// n=0,1,2,7 | l=n d=n u=n x=n y=n
void tridiagonal_mv(int n, const double *l, const double *d, const double *u, const double *x, double *y)
{ for (int i = 0; i < n; i++) { y[i] = d[i] * x[i]; if (i > 0) y[i] += l[i] * x[i-1]; if (i < n - 1) y[i] += u[i] * x[i+1]; } }

// n=0,1,2,7 | x=n y=n
void blur3_zero(int n, const float *x, float *y) { for (int i = 0; i < n; i++) { float a = i > 0 ? x[i-1] : 0, b = i + 1 < n ? x[i+1] : 0; y[i] = 0.25f*a + 0.5f*x[i] + 0.25f*b; } }

// n=1,2,7 | x=n y=n
void blur3_clamped(int n, const float *x, float *y) { for (int i = 0; i < n; i++) { int l = i > 0 ? i-1 : 0, r = i < n-1 ? i+1 : n-1; y[i] = (x[l] + x[i] + x[r]) / 3; } }

// n=1,2,7 | x=n y=n
void diff_periodic(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[(i+1) % n] - x[i]; }

// n=2,3,7 | x=n y=n
void laplace_wrapped(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[(i+n-1) % n] - 2*x[i] + x[(i+1) % n]; }

// n=2,3,7 | x=n y=n
void gradient(int n, const double *x, double *y) { y[0] = x[1] - x[0]; for (int i = 1; i < n-1; i++) y[i] = 0.5 * (x[i+1] - x[i-1]); y[n-1] = x[n-1] - x[n-2]; }

// h=1,2,5 w=1,3,4 | in=h*w k=9 out=h*w
void conv3x3_same(int h, int w, const float *in, const float *k, float *out)
{ for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { float s = 0; for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) {
    int yy = y + dy, xx = x + dx; if (yy >= 0 && yy < h && xx >= 0 && xx < w) s += k[(dy+1)*3 + dx+1] * in[yy*w+xx]; } out[y*w+x] = s; } }

// h=1,2,5 w=1,3,4 r=0,1,1 | in=h*w out=h*w
void box_sum_radius(int h, int w, int r, const float *in, float *out)
{ for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { float s = 0; for (int j = -r; j <= r; j++) { if (x + j < 0 || x + j >= w) continue; s += in[y*w + x+j]; } out[y*w+x] = s; } }

// n=0,1,3,6 | c=2*n+1 x=n y=n
void toeplitz(int n, const double *c, const double *x, double *y) { for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += c[i - j + n] * x[j]; } }

// n=0,1,3,6 | c=n x=n y=n
void toeplitz_symmetric(int n, const double *c, const double *x, double *y) { for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < n; j++) s += c[i > j ? i-j : j-i] * x[j]; y[i] = s; } }

// n=0,1,3,6 | c=n x=n y=n
void lower_toeplitz(int n, const double *c, const double *x, double *y) { for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j <= i; j++) s += c[i-j] * x[j]; y[i] = s; } }

// n=1,2,6 | c=n x=n y=n
void circular_conv(int n, const double *c, const double *x, double *y) { for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += c[(i - j + n) % n] * x[j]; } }

// n=0,1,4 | a=n*n
void zero_below(int n, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i*n+j] = 0; }

// n=0,1,4 | a=n*n
void mirror_upper(int n, double *a) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) a[j*n+i] = a[i*n+j]; }

// t=0,1,4 | s=t*t
void causal_mask(int t, float *s) { for (int i = 0; i < t; i++) for (int j = i + 1; j < t; j++) s[i*t+j] = -1e9f; }

// t=0,1,4 d=1,2,3 | q=t*d k=t*d s=t*t
void causal_scores(int t, int d, const float *q, const float *k, float *s)
{ for (int i = 0; i < t; i++) for (int j = 0; j < t; j++) { s[i*t+j] = 0; if (j <= i) for (int c = 0; c < d; c++) s[i*t+j] += q[i*d+c] * k[j*d+c]; } }

// n=0,1,4 | a=n*n x=n y=n
void lower_mv(int n, const double *a, const double *x, double *y) { for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j <= i; j++) s += a[i*n+j] * x[j]; y[i] = s; } }

// n=0,1,4 | a=n*n x=n y=n
void symmetric_half_mv(int n, const double *a, const double *x, double *y)
{ for (int i = 0; i < n; i++) y[i] = 0; for (int i = 0; i < n; i++) { y[i] += a[i*n+i] * x[i]; for (int j = 0; j < i; j++) { y[i] += a[i*n+j] * x[j]; y[j] += a[i*n+j] * x[i]; } } }

// n=0,1,5 k=0,1,2 | x=n o=n
void shift_right_zero(int n, int k, const float *x, float *o) { for (int i = 0; i < n; i++) o[i] = i >= k ? x[i-k] : 0; }

// n=0,1,5 p=0,1,2 | x=n o=n+2*p
void pad_zero(int n, int p, const float *x, float *o) { for (int i = 0; i < n + 2*p; i++) o[i] = 0; for (int i = 0; i < n; i++) o[i+p] = x[i]; }

// n=1,2,5 p=0,1,2 | x=n o=n+2*p
void pad_edge(int n, int p, const float *x, float *o) { for (int i = 0; i < n + 2*p; i++) { int j = i - p; if (j < 0) j = 0; if (j >= n) j = n - 1; o[i] = x[j]; } }

// h=1,3,4 w=1,2,5 | a=h*w
double perimeter(int h, int w, const double *a) { double s = 0; for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) if (i == 0 || j == 0 || i == h-1 || j == w-1) s += a[i*w+j]; return s; }

// n=0,1,5 w=1,2,3 | x=n o=n
void trailing_sum(int n, int w, const double *x, double *o) { for (int i = 0; i < n; i++) { o[i] = 0; for (int j = i - w + 1 > 0 ? i - w + 1 : 0; j <= i; j++) o[i] += x[j]; } }

// n=0,1,3,6 | a=n*n
double upper_sum(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s += a[i*n+j]; return s; }
