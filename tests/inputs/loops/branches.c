// n=0,1,9 | a=n b=n o=n
void safe_div(int n, const float *a, const float *b, float *o) { for (int i = 0; i < n; i++) o[i] = b[i] ? a[i] / b[i] : 0; }

// n=0,1,9 | a=n b=n o=n
void safe_div_if(int n, const double *a, const double *b, double *o) { for (int i = 0; i < n; i++) { if (b[i] != 0) o[i] = a[i] / b[i]; else o[i] = 0; } }

// n=0,1,9 | c=n a=n b=n
void store_if(int n, const int *c, const double *a, double *b) { for (int i = 0; i < n; i++) if (c[i]) b[i] = a[i]; }

// n=0,1,9 | a=n
void relu_in_place(int n, float *a) { for (int i = 0; i < n; i++) if (a[i] < 0) a[i] = 0; }

// n=0,1,9 | a=n
void leaky(int n, float *a) { for (int i = 0; i < n; i++) a[i] = a[i] > 0 ? a[i] : 0.01f * a[i]; }

// n=0,1,9 | a=n o=n
void clamp_chain(int n, double lo, double hi, const double *a, double *o)
{ for (int i = 0; i < n; i++) { double v = a[i]; if (v < lo) v = lo; else if (v > hi) v = hi; o[i] = v; } }

// n=0,1,9 | a=n o=n
void saturate8(int n, const int *a, unsigned char *o) { for (int i = 0; i < n; i++) { int v = a[i] * 70; o[i] = v < 0 ? 0 : v > 255 ? 255 : v; } }

// n=0,1,9 | a=n o=n
void sign(int n, const float *a, int *o) { for (int i = 0; i < n; i++) o[i] = (a[i] > 0) - (a[i] < 0); }

// n=0,1,9 | a=n o=n
void sign_if(int n, const double *a, double *o) { for (int i = 0; i < n; i++) { if (a[i] > 0) o[i] = 1; else if (a[i] < 0) o[i] = -1; else o[i] = 0; } }

// n=0,1,9 | a=n
double sum_positive(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) if (a[i] > 0) s += a[i]; return s; }

// n=0,1,9 | a=n w=n
float masked_dot(int n, const float *a, const float *w) { float s = 0; for (int i = 0; i < n; i++) { if (w[i] == 0) continue; s += w[i] * a[i]; } return s; }

// n=0,1,9 | a=n o=n
void step_function(int n, float t, const float *a, float *o) { for (int i = 0; i < n; i++) o[i] = a[i] >= t; }

// n=0,1,9 flag=0,1,1 | a=n o=n
void maybe_scale(int n, int flag, const double *a, double *o) { for (int i = 0; i < n; i++) o[i] = flag ? 2 * a[i] : a[i]; }

// n=0,1,9 flag=0,1,0 | a=n o=n
void maybe_all(int n, int flag, const float *a, float *o) { if (flag) { for (int i = 0; i < n; i++) o[i] = a[i] + 1; } else { for (int i = 0; i < n; i++) o[i] = a[i] - 1; } }

// n=0,1,9 | a=n o=n
void beta_zero(int n, double beta, const double *a, double *o)
{ if (beta == 0.0) for (int i = 0; i < n; i++) o[i] = 0; else for (int i = 0; i < n; i++) o[i] *= beta; for (int i = 0; i < n; i++) o[i] += a[i]; }

// n=0,1,4 m=0,1,5 | a=n*m o=n*m
void threshold2d(int n, int m, const unsigned char *a, unsigned char *o)
{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (a[i*m+j] > 128) o[i*m+j] = 255; else o[i*m+j] = 0; }

// n=0,1,4 m=0,1,5 | a=n*m o=n*m
void mask_image(int n, int m, const unsigned char *a, unsigned char *o) { for (int i = 0; i < n*m; i++) { if (a[i]) o[i] = 0; } }

// n=0,1,9 | a=n o=n
void huber(int n, const double *a, double *o)
{ for (int i = 0; i < n; i++) { double r = fabs(a[i]); o[i] = r <= 1.0 ? 0.5 * r * r : r - 0.5; } }

// n=0,1,9 | x=n d=n o=n
void relu_backward(int n, const float *x, const float *d, float *o) { for (int i = 0; i < n; i++) { o[i] = 0; if (x[i] > 0) o[i] = d[i]; } }

// n=0,1,9 | a=n b=n
void sort_pairs(int n, int *a, int *b) { for (int i = 0; i < n; i++) if (a[i] > b[i]) { int t = a[i]; a[i] = b[i]; b[i] = t; } }

// n=0,1,9 | a=n b=n o=n
void pick_larger(int n, const float *a, const float *b, float *o) { for (int i = 0; i < n; i++) { const float *p = a[i] > b[i] ? a : b; o[i] = p[i]; } }

// n=0,1,9 | a=n o=n
void log_or_floor(int n, const double *a, double *o) { for (int i = 0; i < n; i++) o[i] = a[i] > 0 ? log(a[i]) : -100.0; }

// n=0,1,9 | a=n o=n
void sqrt_guarded(int n, const float *a, float *o) { for (int i = 0; i < n; i++) if (a[i] > 0) o[i] = sqrtf(a[i]); else o[i] = 0; }

// n=0,1,9 | a=n b=n o=n
void int_div_guarded(int n, const int *a, const int *b, int *o) { for (int i = 0; i < n; i++) o[i] = b[i] > 0 ? a[i] / b[i] : -1; }

// n=0,1,9 | a=n b=n o=n
void mod_guarded(int n, const int *a, const int *b, int *o) { for (int i = 0; i < n; i++) { o[i] = 0; if (b[i] != 0) o[i] = a[i] % b[i]; } }

// n=0,1,9 | a=n c=3
void three_counts(int n, const double *a, int *c)
{ c[0] = c[1] = c[2] = 0; for (int i = 0; i < n; i++) { if (a[i] < 0) c[0]++; else if (a[i] == 0) c[1]++; else c[2]++; } }

// n=0,1,9 | a=n
float soft_sum(int n, float t, const float *a) { float s = 0; for (int i = 0; i < n; i++) { if (a[i] > t) s += a[i] - t; else if (a[i] < -t) s += a[i] + t; } return s; }

// n=0,1,9 | a=n o=n
void piecewise(int n, const float *a, float *o) { for (int i = 0; i < n; i++) { float v = a[i]; o[i] = v < -1 ? -1 : v < 0 ? v * 0.5f : v < 1 ? v : 1 + 0.1f * (v - 1); } }

// n=0,1,9 kind=0,1,2 | a=n o=n
void activation(int n, int kind, const float *a, float *o)
{ for (int i = 0; i < n; i++) { switch (kind) { case 0: o[i] = a[i] > 0 ? a[i] : 0; break; case 1: o[i] = tanhf(a[i]); break; default: o[i] = a[i]; } } }

// n=0,1,9 | m=n a=n b=n o=n
void blend(int n, const unsigned char *m, const float *a, const float *b, float *o) { for (int i = 0; i < n; i++) o[i] = m[i] & 1 ? a[i] : b[i]; }
