// p=0,1,3 n=0,1,4 m=0,1,2 | a=p*n*m x=m o=p*n
void batched_mv(int p, int n, int m, const double *a, const double *x, double *o)
{ for (int b = 0; b < p; b++) for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += a[b*n*m + i*m + k] * x[k]; o[b*n + i] = s; } }

// p=0,1,3 n=0,1,4 lda=1,1,5 sa=1,3,25 | a=p*sa o=p*n*lda
void batch_strides(int p, int n, int lda, int sa, const float *a, float *o)
{ for (int b = 0; b < p; b++) for (int i = 0; i < n; i++) for (int k = 0; k < lda; k++) o[(b*n + i)*lda + k] = 2 * a[b*sa + i*lda + k]; }

// heads=0,1,3 hs=0,1,4 | q=heads*hs k=heads*hs o=heads
void head_scores(int heads, int hs, const float *q, const float *k, float *o)
{ for (int h = 0; h < heads; h++) { float s = 0; for (int i = 0; i < hs; i++) s += q[h*hs+i] * k[h*hs+i]; o[h] = s / sqrtf(hs); } }

// heads=1,1,3 hs=1,2,4 t=0,1,5 | q=heads*hs k=t*heads*hs o=heads*t
void attention_scores(int heads, int hs, int t, const float *q, const float *k, float *o)
{ for (int h = 0; h < heads; h++) { const float *qh = q + h*hs; for (int j = 0; j < t; j++) { const float *kj = k + j*heads*hs + h*hs; float s = 0; for (int i = 0; i < hs; i++) s += qh[i] * kj[i]; o[h*t+j] = s; } } }

// heads=1,1,3 hs=1,2,4 t=0,1,5 | p=heads*t v=t*heads*hs o=heads*hs
void attention_mix(int heads, int hs, int t, const float *p, const float *v, float *o)
{ for (int h = 0; h < heads; h++) { float *x = o + h*hs; for (int i = 0; i < hs; i++) x[i] = 0; for (int j = 0; j < t; j++) { float a = p[h*t+j]; for (int i = 0; i < hs; i++) x[i] += a * v[j*heads*hs + h*hs + i]; } } }

// C=0,1,2 H=0,2,4 W=0,2,6 | in=C*H*W out=C*4*H*W
void nearest_up(int C, int H, int W, const float *in, float *out)
{ for (int c = 0; c < C; c++) for (int y = 0; y < 2*H; y++) for (int x = 0; x < 2*W; x++) out[(c*2*H + y)*2*W + x] = in[(c*H + y/2)*W + x/2]; }

// n=0,1,4 m=0,1,3 lda=1,2,5 | a=n*lda x=m y=n
void mv_lda(int n, int m, int lda, const double *a, const double *x, double *y) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i] += a[i*lda+j] * x[j]; }

// n=0,1,4 m=0,1,3 lda=1,2,5 | a=m*lda x=m y=n
void mv_column_major(int n, int m, int lda, const double *a, const double *x, double *y) { for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) y[i] += a[i + j*lda] * x[j]; }

// n=0,1,4 k=0,1,3 m=0,1,5 | a=n*k b=k*m c=n*m
void gemm_flat(int n, int k, int m, const float *a, const float *b, float *c)
{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0; for (int p = 0; p < k; p++) s += a[i*k+p] * b[p*m+j]; c[i*m+j] = s; } }

// n=0,1,4 k=0,1,3 m=0,1,5 | a=n*k b=m*k c=n*m
void gemm_nt_pointers(int n, int k, int m, const float *a, const float *b, float *c)
{ for (int i = 0; i < n; i++) { const float *ai = a + i*k; for (int j = 0; j < m; j++) { const float *bj = b + j*k; float s = 0; for (int p = 0; p < k; p++) s += ai[p] * bj[p]; *c++ = s; } } }

// n=0,1,4 | rgb=3*n y=n
void luma(int n, const unsigned char *rgb, unsigned char *y) { for (int i = 0; i < n; i++, rgb += 3) y[i] = (77*rgb[0] + 150*rgb[1] + 29*rgb[2]) >> 8; }

// n=0,1,4 | rgb=3*n o=3*n
void swap_red_blue(int n, const unsigned char *rgb, unsigned char *o) { for (int i = 0; i < n; i++) { o[3*i] = rgb[3*i+2]; o[3*i+1] = rgb[3*i+1]; o[3*i+2] = rgb[3*i]; } }

// h=0,1,3 w=0,2,4 | hwc=h*w*3 chw=3*h*w
void to_planes(int h, int w, const float *hwc, float *chw) { for (int c = 0; c < 3; c++) for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) chw[c*h*w + y*w + x] = hwc[(y*w + x)*3 + c]; }

// h=0,1,3 w=0,2,4 c=1,2,3 | chw=c*h*w hwc=h*w*c
void from_planes(int h, int w, int c, const float *chw, float *hwc) { for (int i = 0; i < h*w; i++) for (int k = 0; k < c; k++) hwc[i*c + k] = chw[k*h*w + i]; }

// n=0,1,3 c=1,2,4 s=0,1,5 | x=n*c*s b=c
void add_bias_nchw(int n, int c, int s, float *x, const float *b) { for (int i = 0; i < n; i++) for (int k = 0; k < c; k++) for (int j = 0; j < s; j++) x[(i*c + k)*s + j] += b[k]; }

// n=0,1,3 c=1,2,4 s=1,1,5 | x=n*c*s m=c
void channel_means(int n, int c, int s, const float *x, float *m)
{ for (int k = 0; k < c; k++) { m[k] = 0; for (int i = 0; i < n; i++) for (int j = 0; j < s; j++) m[k] += x[i*c*s + k*s + j]; m[k] *= 1.0f / (n*s + 1); } }

// h=3,4,6 w=3,5,7 | in=h*w out=h*w
void blur_pointer_rows(int h, int w, const float *in, float *out)
{ for (int y = 1; y < h-1; y++) { const float *up = in + (y-1)*w, *at = up + w, *dn = at + w; for (int x = 1; x < w-1; x++) out[y*w+x] = 0.2f * (up[x] + at[x-1] + at[x] + at[x+1] + dn[x]); } }

// h=0,1,4 w=0,1,3 stride=1,2,5 | in=h*stride out=h*w
void crop(int h, int w, int stride, const unsigned char *in, unsigned char *out) { for (int y = 0; y < h; y++) memcpy(out + y*w, in + y*stride, w); }

// n=0,1,3 m=0,1,4 l=0,2,2 | a=n*m*l o=l*n*m
void permute3(int n, int m, int l, const double *a, double *o) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++) o[k*n*m + i*m + j] = a[(i*m + j)*l + k]; }

// t=0,1,3 c=1,2,4 | x=t*c qkv=t*3*c q=t*c v=t*c
void split_qkv(int t, int c, const float *qkv, float *q, float *v, float *x)
{ for (int i = 0; i < t; i++) for (int j = 0; j < c; j++) { q[i*c+j] = qkv[i*3*c + j]; x[i*c+j] = qkv[i*3*c + c + j]; v[i*c+j] = qkv[i*3*c + 2*c + j]; } }

// n=0,1,4 | a=n*n
double trace_flat(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) s += a[i*n+i]; return s; }

// n=0,1,4 | a=n*n
double trace_step(int n, const double *a) { double s = 0; for (int i = 0; i < n*n; i += n+1) s += a[i]; return s; }

// n=0,1,4 | a=n*n
void set_identity(int n, float *a) { for (int i = 0; i < n*n; i++) a[i] = 0; for (int i = 0; i < n; i++) a[i*(n+1)] = 1; }

// n=0,1,4 m=0,1,3 | a=n*m o=n*m
void flatten_scale(int n, int m, const float *a, float *o) { for (int i = 0; i < n*m; i++) o[i] = 3 * a[i]; }

// n=0,1,4 m=1,1,3 | a=n*m b=m
void add_row_modulo(int n, int m, float *a, const float *b) { for (int i = 0; i < n*m; i++) a[i] += b[i % m]; }

// n=0,1,4 m=1,1,3 | a=n*m b=n
void scale_rows_quotient(int n, int m, float *a, const float *b) { for (int i = 0; i < n*m; i++) a[i] *= b[i / m]; }

// n=0,1,4 m=0,1,3 | a=n*m o=m*n
void transpose_walk(int n, int m, const int *a, int *o) { for (int j = 0; j < m; j++) { const int *p = a + j; for (int i = 0; i < n; i++, p += m) *o++ = *p; } }

// n=0,1,4 | z=2*n w=2*n o=2*n
void complex_mul(int n, const float *z, const float *w, float *o)
{ for (int i = 0; i < 2*n; i += 2) { o[i] = z[i]*w[i] - z[i+1]*w[i+1]; o[i+1] = z[i]*w[i+1] + z[i+1]*w[i]; } }
