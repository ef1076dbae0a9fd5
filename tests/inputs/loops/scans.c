// n=0,1,7 | x=n o=n | none: scan
void cumsum(int n, const double *x, double *o) { double s = 0; for (int i = 0; i < n; i++) { s += x[i]; o[i] = s; } }

// n=0,1,7 | x=n | none: scan
void cumsum_in_place(int n, float *x) { for (int i = 1; i < n; i++) x[i] += x[i-1]; }

// n=0,1,7 | x=n o=n | none: scan
void exclusive_sum(int n, const int *x, int *o) { int s = 0; for (int i = 0; i < n; i++) { o[i] = s; s += x[i]; } }

// n=0,1,7 | x=n o=n | none: scan
void running_max_to(int n, const float *x, float *o) { float m = -FLT_MAX; for (int i = 0; i < n; i++) { if (x[i] > m) m = x[i]; o[i] = m; } }

// n=1,2,7 | x=n o=n | none: scan
void running_min_first(int n, const double *x, double *o) { o[0] = x[0]; for (int i = 1; i < n; i++) o[i] = x[i] < o[i-1] ? x[i] : o[i-1]; }

// n=0,1,7 | x=n o=n | none: scan
void cumprod(int n, const double *x, double *o) { double p = 1; for (int i = 0; i < n; i++) o[i] = p *= x[i]; }

// n=0,1,7 | x=n y=n | none: scan
void smooth_exponential(int n, float a, const float *x, float *y) { float s = 0; for (int i = 0; i < n; i++) { s = a * x[i] + (1 - a) * s; y[i] = s; } }

// n=0,1,7 | x=n y=n | none: scan
void dc_block(int n, double r, const double *x, double *y) { for (int i = 1; i < n; i++) y[i] = x[i] - x[i-1] + r * y[i-1]; }

// n=0,1,7 | a=n b=n h=n | none: scan
void linear_recurrence(int n, const double *a, const double *b, double *h) { for (int i = 1; i < n; i++) h[i] = a[i] * h[i-1] + b[i]; }

// n=0,1,7 | x=n o=n | none: scan
void suffix_sums(int n, const long *x, long *o) { long s = 0; for (int i = n - 1; i >= 0; i--) { s += x[i]; o[i] = s; } }

// n=0,1,4 m=0,2,5 | a=n*m o=n*m | none: scan
void row_cumsums(int n, int m, const float *a, float *o) { for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < m; j++) { s += a[i*m+j]; o[i*m+j] = s; } } }

// n=0,1,4 m=0,2,5 | a=n*m | none: scan
void column_cumsums(int n, int m, double *a) { for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) a[i*m+j] += a[(i-1)*m+j]; }

// h=0,1,4 w=0,2,5 | a=h*w s=h*w | none: scan
void integral(int h, int w, const int *a, int *s) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) s[y*w+x] = a[y*w+x] + (y ? s[(y-1)*w+x] : 0) + (x ? s[y*w+x-1] : 0) - (x && y ? s[(y-1)*w+x-1] : 0); }

// n=0,1,7 | x=n o=n | none: scan
void parity_prefix(int n, const unsigned char *x, unsigned char *o) { unsigned char p = 0; for (int i = 0; i < n; i++) { p ^= x[i]; o[i] = p; } }

// n=0,1,7 | x=n o=n | none: scan
void delta_decode(int n, const short *x, int *o) { int v = 0; for (int i = 0; i < n; i++) o[i] = v += x[i]; }

// n=0,1,7 | x=n o=n
void delta_encode(int n, const int *x, int *o) { int last = 0; for (int i = 0; i < n; i++) { o[i] = x[i] - last; last = x[i]; } }

// n=0,1,7 | x=n o=n | none: scan
void moving_average(int n, const double *x, double *o) { double s = 0; for (int i = 0; i < n; i++) { s += x[i]; o[i] = s / (i + 1); } }

// n=0,1,7 w=1,2,3 | x=n o=n
void delayed_difference(int n, const float *x, float *o) { float d1 = 0, d2 = 0; for (int i = 0; i < n; i++) { o[i] = x[i] - 2*d1 + d2; d2 = d1; d1 = x[i]; } }

// n=0,1,7 | x=n y=n | none: scan
void biquad(int n, float b0, float b1, float b2, const float *x, float *y)
{ float z1 = 0, z2 = 0; for (int i = 0; i < n; i++) { float o = b0 * x[i] + z1; z1 = b1 * x[i] - 0.5f * o + z2; z2 = b2 * x[i] - 0.25f * o; y[i] = o; } }

// n=0,1,7 | g=n r=n | none: scan
void returns_discounted(int n, double gamma, const double *r, double *g) { double acc = 0; for (int t = n - 1; t >= 0; --t) { acc = r[t] + gamma * acc; g[t] = acc; } }

// n=0,1,7 | x=n o=n | none: scan
void cumulative_count(int n, const int *x, int *o) { int c = 0; for (int i = 0; i < n; i++) { if (x[i] > 0) c++; o[i] = c; } }

// n=0,1,7 | x=n | none: scan
double max_drawdown(int n, const double *x) { double peak = -DBL_MAX, worst = 0; for (int i = 0; i < n; i++) { if (x[i] > peak) peak = x[i]; if (peak - x[i] > worst) worst = peak - x[i]; } return worst; }

// n=0,1,7 | x=n o=n | none: scan
void any_so_far(int n, const unsigned char *x, unsigned char *o) { unsigned char seen = 0; for (int i = 0; i < n; i++) { seen |= x[i] & 1; o[i] = seen; } }

// n=0,1,7 | x=n o=n t=1 | none: scan
void scan_with_total(int n, const double *x, double *o, double *t) { double s = 0; for (int i = 0; i < n; i++) { o[i] = s; s += x[i]; } *t = s; }
