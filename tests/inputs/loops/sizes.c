// n=0,1,2,9 | x=n o=n
void haar(int n, const double *x, double *o)
{ int h = n / 2; for (int i = 0; i < h; i++) { o[i] = 0.5 * (x[2*i] + x[2*i+1]); o[h+i] = 0.5 * (x[2*i] - x[2*i+1]); } }

// n=0,1,2,7,8 | x=n
void reverse_in_place(int n, float *x) { for (int i = 0; i < n / 2; i++) { float t = x[i]; x[i] = x[n-1-i]; x[n-1-i] = t; } }

// n=0,1,2,7,8 | x=n
void reverse_two_ends(int n, int *x) { for (int i = 0, j = n - 1; i < j; i++, j--) { int t = x[i]; x[i] = x[j]; x[j] = t; } }

// | x=9
void reverse9(float x[9]) { for (int i = 0; i < 4; i++) { float t = x[i]; x[i] = x[8-i]; x[8-i] = t; } }

// | x=5
void reverse5(double x[5]) { for (int i = 0; i < 5 / 2; ++i) { double t = x[i]; x[i] = x[4-i]; x[4-i] = t; } }

// n=0,1,5 | x=n o=n
void reversed(int n, const float *x, float *o) { for (int i = n - 1; i >= 0; i--) o[n-1-i] = x[i]; }

// H=1,3,6 W=1,4,5 K=1,2,3 | x=H*W o=(H-K+1)*(W-K+1)*K*K
void im2col(int H, int W, int K, const float *x, float *o)
{ int OH = H - K + 1, OW = W - K + 1; for (int i = 0; i < OH; i++) for (int j = 0; j < OW; j++) for (int p = 0; p < K; p++) for (int q = 0; q < K; q++)
    o[((i*OW + j)*K + p)*K + q] = x[(i+p)*W + j+q]; }

// H=1,3,6 W=1,4,5 K=1,2,3 | x=H*W o=(H-K+1)*(W-K+1)*K*K
void im2col_patches_first(int H, int W, int K, const float *x, float *o)
{ int OH = H - K + 1, OW = W - K + 1; for (int p = 0; p < K; p++) for (int q = 0; q < K; q++) for (int i = 0; i < OH; i++) for (int j = 0; j < OW; j++)
    o[(p*K + q)*OH*OW + i*OW + j] = x[(i+p)*W + (j+q)]; }

// H=1,3,6 W=1,4,5 K=1,2,3 | x=H*W c=(H-K+1)*(W-K+1)*K*K
void col2im(int H, int W, int K, const float *c, float *x)
{ int OH = H - K + 1, OW = W - K + 1; for (int i = 0; i < H * W; i++) x[i] = 0;
  for (int i = 0; i < OH; i++) for (int j = 0; j < OW; j++) for (int p = 0; p < K; p++) for (int q = 0; q < K; q++)
    x[(i+p)*W + j+q] += c[((i*OW + j)*K + p)*K + q]; }

// n=1,3,8 k=1,2,3 | x=n w=k o=n-k+1
void conv_valid(int n, int k, const double *x, const double *w, double *o)
{ for (int i = 0; i < n - k + 1; i++) { double s = 0; for (int j = 0; j < k; j++) s += w[j] * x[i+j]; o[i] = s; } }

// n=1,3,8 k=1,2,3 | x=n w=k o=n-k+1
void conv_flipped(int n, int k, const float *x, const float *w, float *o)
{ int m = n - k + 1; for (int i = 0; i < m; i++) { o[i] = 0; for (int j = 0; j < k; j++) o[i] += w[k-1-j] * x[i+j]; } }

// n=1,3,8 k=1,2,3 | x=n w=k o=n+k-1
void conv_full_scatter(int n, int k, const double *x, const double *w, double *o)
{ for (int i = 0; i < n + k - 1; i++) o[i] = 0; for (int i = 0; i < n; i++) for (int j = 0; j < k; j++) o[i+j] += x[i] * w[j]; }

// n=0,1,4,9 | x=n o=(n+1)//2
void decimate(int n, const float *x, float *o) { for (int i = 0; i < (n + 1) / 2; i++) o[i] = x[2*i]; }

// n=0,1,2,9 | x=n o=n//2
void pool_max2(int n, const float *x, float *o) { for (int i = 0; i < n / 2; i++) o[i] = x[2*i] > x[2*i+1] ? x[2*i] : x[2*i+1]; }

// h=0,1,4,7 w=0,2,4,5 | x=h*w o=(h//2)*(w//2)
void pool_mean2d(int h, int w, const float *x, float *o)
{ int oh = h / 2, ow = w / 2; for (int i = 0; i < oh; i++) for (int j = 0; j < ow; j++)
    o[i*ow+j] = 0.25f * (x[2*i*w + 2*j] + x[2*i*w + 2*j+1] + x[(2*i+1)*w + 2*j] + x[(2*i+1)*w + 2*j+1]); }

// d=0,2,4,8 | q=d c=d//2 s=d//2
void rope_interleaved(int d, float *q, const float *c, const float *s)
{ for (int i = 0; i < d / 2; i++) { float a = q[2*i], b = q[2*i+1]; q[2*i] = a*c[i] - b*s[i]; q[2*i+1] = a*s[i] + b*c[i]; } }

// d=0,2,4,8 | q=d c=d//2 s=d//2
void rope_step2(int d, float *q, const float *c, const float *s)
{ for (int i = 0; i < d; i += 2) { float a = q[i], b = q[i+1]; q[i] = a*c[i/2] - b*s[i/2]; q[i+1] = a*s[i/2] + b*c[i/2]; } }

// d=0,2,4,8 | q=d c=d//2 s=d//2
void rope_halves(int d, float *q, const float *c, const float *s)
{ int h = d / 2; for (int i = 0; i < h; i++) { float a = q[i], b = q[i+h]; q[i] = a*c[i] - b*s[i]; q[i+h] = b*c[i] + a*s[i]; } }

// t=0,1,3 d=2,2,6 | q=t*d o=t*d
void rotate_half(int t, int d, const float *q, float *o)
{ for (int i = 0; i < t; i++) { for (int j = 0; j < d/2; j++) o[i*d+j] = -q[i*d+j+d/2]; for (int j = d/2; j < d; j++) o[i*d+j] = q[i*d+j-d/2]; } }

// n=0,1,3,6 | x=n o=2*n
void upsample2(int n, const float *x, float *o) { for (int i = 0; i < 2*n; i++) o[i] = x[i/2]; }

// h=0,1,3 w=0,2,3 | x=h*w o=4*h*w
void upsample2d(int h, int w, const float *x, float *o)
{ for (int y = 0; y < 2*h; y++) for (int c = 0; c < 2*w; c++) o[y*2*w + c] = x[(y/2)*w + c/2]; }

// n=0,1,4,9 | x=n o=n
void rotate_left_half(int n, const int *x, int *o) { int h = n / 2; for (int i = 0; i < n - h; i++) o[i] = x[i+h]; for (int i = 0; i < h; i++) o[n-h+i] = x[i]; }

// n=0,1,4,9 | x=n
int palindrome_mismatch(int n, const unsigned char *x) { int c = 0; for (int i = 0; i < n/2; i++) c += x[i] != x[n-1-i]; return c; }

// n=0,1,4,9 | x=n o=n
void even_odd_split(int n, const double *x, double *o)
{ int h = (n + 1) / 2; for (int i = 0; i < h; i++) o[i] = x[2*i]; for (int i = 0; i < n/2; i++) o[h+i] = x[2*i+1]; }

// h=1,3,7 k=1,3,3 s=1,1,2 | x=h w=k o=(h-k)//s+1
void conv_strided(int h, int k, int s, const float *x, const float *w, float *o)
{ int oh = (h - k) / s + 1; for (int i = 0; i < oh; i++) { float t = 0; for (int j = 0; j < k; j++) t += x[i*s+j] * w[j]; o[i] = t; } }

// h=1,3,7 k=1,3,3 pad=0,1,2 | x=h w=k o=h+2*pad-k+1
void conv_padded(int h, int k, int pad, const float *x, const float *w, float *o)
{ int oh = h + 2*pad - k + 1; for (int i = 0; i < oh; i++) { float t = 0; for (int j = 0; j < k; j++) { int at = i + j - pad; if (at >= 0 && at < h) t += x[at] * w[j]; } o[i] = t; } }

// n=0,1,4,9 | x=n o=n
void fold_ends(int n, const float *x, float *o) { for (int i = 0; i < n; i++) o[i] = x[i] + x[n-1-i]; }

// n=1,2,5 | x=n o=2*n-1
void zero_stuff(int n, const float *x, float *o) { for (int i = 0; i < 2*n-1; i++) o[i] = 0; for (int i = 0; i < n; i++) o[2*i] = x[i]; }

// n=0,1,4,9 | x=n o=n
void mirror_half(int n, const float *x, float *o) { int m = (n+1)/2; for (int i = 0; i < m; i++) { o[i] = x[i]; o[n-1-i] = x[i]; } }
