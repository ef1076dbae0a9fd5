// n=0,1,7 m=1,1,5 | x=m idx=n<m y=n
void gather(int n, int m, const double *x, const int *idx, double *y) { for (int i = 0; i < n; i++) y[i] = x[idx[i]]; }

// n=0,1,7 m=1,1,5 | x=m idx=n<m
double gather_sum(int n, int m, const double *x, const int *idx) { double s = 0; for (int i = 0; i < n; i++) s += x[idx[i]]; return s; }

// n=0,1,7 m=1,1,5 | x=m idx=n<m w=n
float sparse_dot(int n, int m, const float *w, const int *idx, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += w[i] * x[idx[i]]; return s; }

// t=0,1,4 v=1,2,5 d=0,1,3 | table=v*d tok=t<v o=t*d
void embed(int t, int v, int d, const float *table, const int *tok, float *o) { for (int i = 0; i < t; i++) for (int j = 0; j < d; j++) o[i*d+j] = table[tok[i]*d+j]; }

// t=0,1,4 v=1,2,5 d=0,1,3 | table=v*d tok=t<v o=t*d
void embed_rows(int t, int v, int d, const float table[v][d], const int tok[t], float o[t][d]) { for (int i = 0; i < t; i++) for (int j = 0; j < d; j++) o[i][j] = table[tok[i]][j]; }

// n=0,1,9 | a=n t=256 o=n
void lookup_table(int n, const unsigned char *a, const unsigned char *t, unsigned char *o) { for (int i = 0; i < n; i++) o[i] = t[a[i]]; }

// n=0,1,9 | a=n<16 o=n
void bit_table(int n, const unsigned char *a, int *o) { static const unsigned char ones[16] = {0,1,1,2,1,2,2,3,1,2,2,3,2,3,3,4}; for (int i = 0; i < n; i++) o[i] = ones[a[i]]; }

// n=0,1,9 | a=n
int popcount_bytes(int n, const unsigned char *a) { static const int ones[16] = {0,1,1,2,1,2,2,3,1,2,2,3,2,3,3,4}; int s = 0; for (int i = 0; i < n; i++) s += ones[a[i] & 15] + ones[a[i] >> 4]; return s; }

// n=0,1,9 m=1,2,4 | b=n<m h=m | none: scatter
void histogram(int n, int m, const int *b, int *h) { for (int i = 0; i < n; i++) h[b[i]]++; }

// n=0,1,9 m=1,2,4 | b=n<m w=n h=m | none: scatter
void weighted_histogram(int n, int m, const int *b, const double *w, double *h) { for (int j = 0; j < m; j++) h[j] = 0; for (int i = 0; i < n; i++) h[b[i]] += w[i]; }

// n=0,1,9 | img=n h=256 | none: scatter
void byte_histogram(int n, const unsigned char *img, int *h) { for (int i = 0; i < 256; i++) h[i] = 0; for (int i = 0; i < n; i++) ++h[img[i]]; }

// n=0,1,6 m=1,2,4 | to=n<m x=n o=m | none: scatter
void scatter_store(int n, int m, const int *to, const float *x, float *o) { for (int i = 0; i < n; i++) o[to[i]] = x[i]; }

// n=0,1,6 m=1,2,4 d=0,1,3 | seg=n<m x=n*d o=m*d | none: scatter
void segment_sum(int n, int m, int d, const int *seg, const float *x, float *o) { for (int i = 0; i < n; i++) for (int j = 0; j < d; j++) o[seg[i]*d+j] += x[i*d+j]; }

// n=0,1,6 m=1,2,4 | seg=n<m x=n o=m | none: scatter
void segment_max(int n, int m, const int *seg, const float *x, float *o) { for (int i = 0; i < n; i++) if (x[i] > o[seg[i]]) o[seg[i]] = x[i]; }

// n=0,1,7 m=1,1,5 | x=m i1=n<m i2=n<m y=n
void edge_difference(int n, int m, const double *x, const int *i1, const int *i2, double *y) { for (int e = 0; e < n; e++) y[e] = x[i2[e]] - x[i1[e]]; }

// n=0,1,7 | p=n<n x=n y=n
void permute(int n, const int *p, const float *x, float *y) { for (int i = 0; i < n; ++i) y[i] = x[p[i]]; }

// n=0,1,5 m=1,2,4 | x=m idx=n<m y=n
void gather_scaled(int n, int m, float a, const float *x, const unsigned char *idx, float *y) { for (int i = 0; i < n; i++) y[i] += a * x[idx[i]]; }

// n=0,1,5 m=1,2,4 | a=n*m label=n<m
double cross_entropy(int n, int m, const double *a, const int *label) { double s = 0; for (int i = 0; i < n; i++) s -= a[i*m + label[i]]; return s; }

// n=0,1,4 m=1,2,3 | ell=n*m col=n*m<n x=n y=n
void ellpack_mv(int n, int m, const double *ell, const int *col, const double *x, double *y) { for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += ell[i*m+k] * x[col[i*m+k]]; y[i] = s; } }

// n=0,1,5 m=1,2,4 | x=m a=n<m b=n<m o=n
void gather_pairs_max(int n, int m, const float *x, const int *a, const int *b, float *o) { for (int i = 0; i < n; i++) { float u = x[a[i]], v = x[b[i]]; o[i] = u > v ? u : v; } }

// n=0,1,5 m=1,2,4 l=1,3,3 | x=l j=m<l i=n<m y=n
void gather_twice(int n, int m, int l, const float *x, const int *j, const int *i, float *y) { for (int k = 0; k < n; k++) y[k] = x[j[i[k]]]; }

// n=0,1,5 | q=n<16 o=n
void dequant_codebook(int n, const unsigned char *q, float scale, float *o) { static const float code[16] = {-8,-7,-6,-5,-4,-3,-2,-1,0,1,2,3,4,5,6,7}; for (int i = 0; i < n; i++) o[i] = scale * code[q[i]]; }

// n=0,1,5 k=1,1,3 d=1,2,2 | c=k*d who=n<k x=n*d
double assignment_cost(int n, int k, int d, const double *x, const double *c, const int *who) { double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < d; j++) { double e = x[i*d+j] - c[who[i]*d+j]; s += e * e; } return s; }

// h=1,2,3 w=1,3,4 | img=h*w my=h<h mx=w<w o=h*w
void remap(int h, int w, const float *img, const int *my, const int *mx, float *o) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) o[y*w+x] = img[my[y]*w + mx[x]]; }

// n=0,1,6 | rev=n<n x=2*n o=2*n
void bit_reverse_copy(int n, const int *rev, const float *x, float *o) { for (int i = 0; i < n; i++) { o[2*i] = x[2*rev[i]]; o[2*i+1] = x[2*rev[i]+1]; } }

// n=0,1,5 m=1,2,4 | to=n<m x=n o=m | none: scatter
void scatter_sub(int n, int m, const int *to, const double *x, double *o) { for (int i = 0; i < n; i++) o[to[i]] -= 2 * x[i]; }

// n=0,1,5 m=1,2,4 | k=n<m c0=m c=m | none: scatter
void count_labels_if(int n, int m, const int *k, const int *c0, int *c) { for (int i = 0; i < n; i++) if (k[i] > 0) c[k[i]] += 1; }
