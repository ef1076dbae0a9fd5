// n*=0,1,5 | x=n y=n
void daxpy_ref(const int *n, const double *a, const double *x, double *y) { for (int i = 0; i < *n; i++) y[i] += *a * x[i]; }

// n*=0,1,5 | x=n
double dasum_ref(const int *n, const double *x) { double s = 0; for (int i = 0; i < *n; ++i) s += fabs(x[i]); return s; }

// n*=0,1,5 | x=n
void dscal_ref(int *n, double *alpha, double *x) { int m = *n; double a = *alpha; for (int i = 0; i < m; i++) x[i] = a * x[i]; }

// n*=0,1,5 m*=0,1,3 | a=n*m x=m y=n
void mv_ref(const int *n, const int *m, const double *a, const double *x, double *y)
{ for (int j = 0; j < *m; j++) for (int i = 0; i < *n; i++) y[i] += a[i + j * *n] * x[j]; }

// n*=0,1,4 lda*=1,2,6 | a=n*lda s=n
void row_sums_ref(const int *n, const int *lda, const float *a, float *s) { for (int i = 0; i < *n; i++) { s[i] = 0; for (int j = 0; j < *n && j < 1000; j++) s[i] += a[i * *lda + j]; } }

// n=0,1,5 | x=n s=1
void sum_into(int n, const double *x, double *s) { *s = 0; for (int i = 0; i < n; i++) *s += x[i]; }

// n=0,1,5 | x=n s=1
void add_into(int n, const float *x, float *s) { for (int i = 0; i < n; i++) *s += x[i]; }

// n=0,1,5 | x=n mean=1 var=1
void mean_var(int n, const double *x, double *mean, double *var)
{ double m = 0, v = 0; for (int i = 0; i < n; i++) m += x[i]; m /= n + 1; for (int i = 0; i < n; i++) v += (x[i] - m) * (x[i] - m); *mean = m; *var = v / (n + 1); }

// n=0,1,5 | x=n a=1
void scale_by_ref(int n, float *x, const float *a) { for (int i = 0; i < n; i++) x[i] *= *a; }

// n=1,2,5 | x=n lo=1 hi=1
void minmax_ref(int n, const int *x, int *lo, int *hi) { *lo = *hi = x[0]; for (int i = 1; i < n; i++) { if (x[i] < *lo) *lo = x[i]; if (x[i] > *hi) *hi = x[i]; } }

// n=0,1,5 | x=n end=0
double sum_begin_end(int n, const double *x) { const double *end = x + n; double s = 0; while (x != end) s += *x++; return s; }

// n=0,1,5 m=0,1,3 | a=n*m s=n
void rows_behind_pointer(int n, int m, const double *a, double *s) { const double *row = a; for (int i = 0; i < n; i++, row += m) { double t = 0; for (int j = 0; j < m; j++) t += row[j]; s[i] = t; } }

// n=0,1,5 | x=n count=1
void count_ref(int n, const float *x, int *count) { *count = 0; for (int i = 0; i < n; i++) if (x[i] > 0) (*count)++; }

// n*=0,1,5 inc*=1,2,3 | x=n*inc
float strided_sum_ref(const int *n, const int *inc, const float *x) { float s = 0; int ix = 0; for (int i = 0; i < *n; i++) { s += x[ix]; ix += *inc; } return s; }

// n=0,1,4 | u=n+2 v=n+2
void interior_pointer(int n, const double *u, double *v) { const double *c = u + 1; double *o = v + 1; for (int i = 0; i < n; i++) o[i] = c[i-1] - 2*c[i] + c[i+1]; }

// n=0,1,4 | x=n y=n dot=1 xx=1
void two_sums(int n, const double *x, const double *y, double *dot, double *xx) { *dot = 0; *xx = 0; for (int i = 0; i < n; i++) { *dot += x[i]*y[i]; *xx += x[i]*x[i]; } }

// n*=0,1,4 | x=n y=n
void copy_do_while(const long *n, const float *x, float *y) { long k = *n; if (k > 0) do { *y++ = *x++; } while (--k); }

// n=0,1,4 | x=n+1 b=1
void bias_by_last(int n, double *x, double *b) { for (int i = 0; i < n; i++) x[i] += b[0]; }
