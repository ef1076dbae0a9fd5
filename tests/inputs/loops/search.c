// n=0,1,2,9 | a=n o=n
void ramp(int n, const double *a, double *o) { for (int k = 0; k < n; k++) o[k] = (k + 1) * a[k]; }

// n=1,2,9 | a=n
int argmax_f(int n, const float *a) { int best = 0; for (int i = 1; i < n; i++) if (a[i] > a[best]) best = i; return best; }

// n=1,2,9 | a=n
int argmin_with_value(int n, const double *a)
{ double low = a[0]; int at = 0; for (int i = 1; i < n; ++i) { if (a[i] < low) { low = a[i]; at = i; } } return at; }

// n=0,1,2,9 | a=n
int argmax_or_none(int n, const float *a)
{ int k = -1; float best = -FLT_MAX; for (int i = 0; i < n; i++) { if (a[i] > best) { best = a[i]; k = i; } } return k; }

// n=1,2,9 | a=n
int last_max(int n, const int *a) { int m = a[0], k = 0; for (int i = 1; i < n; i++) if (a[i] >= m) { m = a[i]; k = i; } return k; }

// n=1,3,9 | a=n at=1
double max_and_place(int n, const double *a, int *at)
{ double m = a[0]; *at = 0; for (int i = 1; i < n; i++) if (a[i] > m) { m = a[i]; *at = i; } return m; }

// n=0,1,5,11 v=0,1,2,-1 | a=n
int find_int(int n, int v, const int *a) { for (int i = 0; i < n; i++) if (a[i] == v) return i; return -1; }

// n=0,1,5,11 | a=n
int first_negative(int n, const float *a) { int i = 0; while (i < n && a[i] >= 0) i++; return i; }

// n=0,1,5,11 | a=n
int first_over(int n, const double *a, double t) { int r = n; for (int i = 0; i < n; i++) if (a[i] > t) { r = i; break; } return r; }

// n=0,1,5,11 | a=n
int last_zero(int n, const unsigned char *a) { int r = -1; for (int i = 0; i < n; i++) if (a[i] == 0) r = i; return r; }

// n=0,1,5,11 | a=n
int count_zero(int n, const int *a) { int c = 0; for (int i = 0; i < n; i++) if (!a[i]) c++; return c; }

// n=0,1,5,11 | a=n
int count_between(int n, const float *a) { int c = 0; for (const float *p = a; p < a + n; ++p) c += *p > -0.75f && *p < 0.75f; return c; }

// n=0,1,5,11 | a=n
int any_negative(int n, const double *a) { int r = 0; for (int i = 0; i < n; i++) if (a[i] < 0) r = 1; return r; }

// n=0,1,5,11 | a=n
int all_positive(int n, const double *a) { for (int i = 0; i < n; i++) if (!(a[i] > 0)) return 0; return 1; }

// n=0,1,5,11 | a=n b=n
int equal_arrays(int n, const int *a, const int *b) { for (int i = 0; i < n; i++) if (a[i] != b[i]) return 0; return 1; }

// n=0,1,5,11 | a=n b=n
int mismatches(int n, const unsigned char *a, const unsigned char *b) { int d = 0; for (int i = 0; i < n; i++) d += a[i] != b[i]; return d; }

// n=0,1,4,6 k=1,1,3,2 | x=n*2 c=k*2 o=n
void nearest(int n, int k, const float *x, const float *c, int *o)
{ for (int i = 0; i < n; i++) { int best = 0; float d = FLT_MAX; for (int j = 0; j < k; j++) {
      float a = x[2*i] - c[2*j], b = x[2*i+1] - c[2*j+1]; float e = a*a + b*b; if (e < d) { d = e; best = j; } } o[i] = best; } }

// n=0,1,4 m=1,1,5 | a=n*m o=n
void row_argmax(int n, int m, const float a[n][m], int o[n])
{ for (int i = 0; i < n; i++) { int b = 0; for (int j = 1; j < m; j++) if (a[i][j] > a[i][b]) b = j; o[i] = b; } }

// n=0,1,4 m=1,1,5 | s=n*m label=n m_=1
void classify(int n, int m, const double *s, int *label, double *m_)
{ for (int i = 0; i < n; i++) { double top = s[i*m]; int who = 0; for (int j = 1; j < m; j++) if (s[i*m+j] > top) { top = s[i*m+j]; who = j; } label[i] = who; } m_[0] = n; }

// n=1,2,9 | a=n o=2
void extent(int n, const float *a, float *o)
{ float lo = a[0], hi = a[0]; for (int i = 1; i < n; i++) { if (a[i] < lo) lo = a[i]; else if (a[i] > hi) hi = a[i]; } o[0] = lo; o[1] = hi; }

// n=0,1,6 | o=n
void iota(int n, int *o) { for (int i = 0; i < n; i++) o[i] = i; }

// n=0,1,6 | o=n
void linspace(int n, double *o) { for (int i = 0; i < n; i++) o[i] = 0.25 * i - 1.0; }

// n=0,1,6 m=0,1,4 | o=n*m
void distance_to_diagonal(int n, int m, int *o) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[i*m+j] = i > j ? i - j : j - i; }

// n=0,1,6 | a=n
double centroid(int n, const double *a) { double s = 0, w = 0; for (int i = 0; i < n; i++) { s += i * a[i]; w += a[i]; } return s / w; }

// n=0,1,6 | a=n o=n
void alternate(int n, const float *a, float *o) { for (int i = 0; i < n; i++) o[i] = i % 2 ? -a[i] : a[i]; }

// n=0,1,6 | a=n
long weighted_sum(int n, const short *a) { long s = 0; for (int i = 0; i < n; i++) s += (long)i * a[i]; return s; }

// n=0,1,7 | o=n
void hann_window(int n, float *o) { for (int i = 0; i < n; i++) o[i] = 0.5f - 0.5f * cosf(6.2831853f * i / n); }

// n=0,1,9 | a=n
int argmax_abs(int n, const double *a) { int k = 0; double m = 0; for (int i = 0; i < n; i++) { double v = fabs(a[i]); if (v > m) { m = v; k = i; } } return k + 1; }

// n=1,2,9 | a=n
int idamax_like(int n, const float *a) { int k = 0; float m = fabsf(a[0]); for (int i = 1; i < n; i++) { if (fabsf(a[i]) <= m) continue; k = i; m = fabsf(a[i]); } return k; }

// n=0,1,9 | a=n
int sortedness(int n, const int *a) { int ok = 1; for (int i = 1; i < n; i++) if (a[i-1] > a[i]) { ok = 0; break; } return ok; }

// n=0,1,9 | a=n
int sign_changes(int n, const float *a) { int c = 0; for (int i = 1; i < n; i++) if (a[i-1] * a[i] < 0) ++c; return c; }

// n=1,2,9 | x=n y=n
int best_step(int n, const float *x, const float *y) { int k = 0; float d = x[0] - y[0]; for (int i = 1; i < n; i++) { float e = x[i] - y[i]; if (e < d) { d = e; k = i; } } return k; }
