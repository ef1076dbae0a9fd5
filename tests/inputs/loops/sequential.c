// n=0,1,6 d=0,1,4 | x=n c=d+1 y=n | none: recurrence
void horner_many(int n, int d, const double *x, const double *c, double *y) { for (int i = 0; i < n; i++) { double v = c[d]; for (int k = d - 1; k >= 0; k--) v = v * x[i] + c[k]; y[i] = v; } }

// n=0,1,6 | x=n y=n
void horner_fixed(int n, const float *x, float *y) { for (int i = 0; i < n; i++) { float v = 0.1f; v = v * x[i] + 0.2f; v = v * x[i] + 0.3f; y[i] = v * x[i] + 0.4f; } }

// n=0,1,6 d=0,1,4 | x=n p=n*(d+1) | none: recurrence
void power_table(int n, int d, const double *x, double *p) { for (int i = 0; i < n; i++) { p[i*(d+1)] = 1; for (int k = 1; k <= d; k++) p[i*(d+1)+k] = p[i*(d+1)+k-1] * x[i]; } }

// n=0,1,6 steps=0,1,3 | x=n a=n | none: recurrence
void newton_roots(int n, int steps, const double *a, double *x) { for (int i = 0; i < n; i++) for (int s = 0; s < steps; s++) x[i] = 0.5 * x[i] + 0.5 / (x[i] * x[i] + 1); }

// n=0,3,7 t=0,1,2 | a=n b=n | none: recurrence
void heat_steps(int n, int t, double *a, double *b) { for (int s = 0; s < t; s++) { for (int i = 1; i < n-1; i++) b[i] = a[i-1] + a[i+1]; for (int i = 1; i < n-1; i++) a[i] = 0.5 * b[i]; } }

// n=0,1,5 | L=n*n b=n | none: recurrence
void forward_solve(int n, const double *L, double *b) { for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) b[i] -= L[i*n+j] * b[j]; b[i] /= L[i*n+i]; } }

// n=1,2,6 | a=n b=n c=n d=n | none: recurrence
void thomas(int n, const double *a, double *b, const double *c, double *d) { for (int i = 1; i < n; i++) { double w = 0.25 * a[i]; b[i] -= w * c[i-1]; d[i] -= w * d[i-1]; } }

// n=0,1,5 k=0,1,3 | x=n*k h=n | none: recurrence
void rnn_linear(int n, int k, float w, const float *x, float *h) { for (int t = 0; t < k; t++) for (int i = 0; i < n; i++) h[i] = w * h[i] + x[t*n+i]; }

// n=0,2,5 | a=n*n
void in_place_transpose(int n, double *a) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) { double t = a[i*n+j]; a[i*n+j] = a[j*n+i]; a[j*n+i] = t; } }

// n=0,1,6 | x=n y=n o=2
void sums_and_store(int n, const double *x, double *y, double *o) { double s = 0; for (int i = 0; i < n; i++) { y[i] = 2 * x[i]; s += y[i]; } o[0] = s; o[1] = n ? s / n : 0; }

// n=0,2,7 | x=n | none: recurrence
void gauss_seidel_line(int n, double *x) { for (int i = 1; i < n - 1; i++) x[i] = 0.5 * (x[i-1] + x[i+1]); }

// n=0,2,7 | x=n
void shift_left(int n, float *x) { for (int i = 0; i < n - 1; i++) x[i] = x[i+1]; }

// n=0,2,7 | x=n
void shift_right(int n, float *x) { for (int i = n - 1; i > 0; i--) x[i] = x[i-1]; }

// n=1,2,7 | x=n
void fill_from_first(int n, int *x) { for (int i = 1; i < n; i++) x[i] = x[i-1]; }

// n=1,2,7 | x=n
void spread_first_scaled(int n, double *x) { for (int i = 1; i < n; i++) x[i] = 2 * x[0]; }

// n=0,1,6 | x=n y=n
void two_phase(int n, float *x, float *y) { for (int i = 0; i < n; i++) { x[i] = x[i] + 1; y[i] = x[i] * 2; } for (int i = 0; i < n; i++) x[i] = x[i] * y[i]; }

// n=0,1,5 | f=n+2 | none: recurrence
void fibonacci_like(int n, long *f) { f[0] = 1; f[1] = 1; for (int i = 0; i < n; i++) f[i+2] = f[i+1] + f[i]; }

// n=0,1,5 | a=n b=n d=(n+1)*(n+1) | none: recurrence
void edit_table(int n, const unsigned char *a, const unsigned char *b, int *d)
{ int w = n + 1; for (int i = 0; i <= n; i++) { d[i*w] = i; d[i] = i; } for (int i = 1; i <= n; i++) for (int j = 1; j <= n; j++) { int s = d[(i-1)*w+j-1] + (a[i-1] != b[j-1]); int t = d[(i-1)*w+j] + 1, u = d[i*w+j-1] + 1; if (t < s) s = t; if (u < s) s = u; d[i*w+j] = s; } }

// n=0,1,6 k=0,1,3 | x=n y=n
void repeat_add(int n, int k, const double *x, double *y) { for (int t = 0; t < k; t++) for (int i = 0; i < n; i++) y[i] += x[i]; }

// n=0,1,6 | x=n a=n
double polyval_one(int n, double t, const double *a, const double *x) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * x[i] * t; return s; }

// n=1,2,6 | x=n p=n
void partial_dot_rows(int n, const double *x, double *p) { for (int i = 0; i < n; i++) { p[i] = 0; for (int j = 0; j <= i; j++) p[i] += x[j] * x[i-j]; } }

// n=0,1,4 m=1,2,3 | x=n*m
void normalise_rows(int n, int m, double *x) { for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) s += x[i*m+j] * x[i*m+j]; s = sqrt(s) + 1e-9; for (int j = 0; j < m; j++) x[i*m+j] /= s; } }
