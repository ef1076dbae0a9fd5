// n=1000:4000000 | a=2*n b=2*n o=2*n
void complex_product(int n, const float *restrict a, const float *restrict b, float *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = a[2*i]*b[2*i] - a[2*i+1]*b[2*i+1];
    o[2*i+1] = a[2*i]*b[2*i+1] + a[2*i+1]*b[2*i]; } }

// n=1000:4000000 | a=2*n o=n
void magnitude(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = sqrtf(a[2*i]*a[2*i] + a[2*i+1]*a[2*i+1]); }

// n=1000:4000000 | a=2*n o=n
void power_f64(int n, const double *restrict a, double *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[2*i]*a[2*i] + a[2*i+1]*a[2*i+1]; }

// n=1000:4000000 | a=2*n o=n
void mono_i16(int n, const short *restrict a, short *restrict o)
{ for (int i = 0; i < n; i++) o[i] = (a[2*i] + a[2*i+1]) / 2; }

// n=1000:4000000 | a=n o=2*n
void stereo_i16(int n, const short *restrict a, short *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = a[i]; o[2*i+1] = a[i]; } }

// n=1000:4000000 | a=n o=n
void gain_i16(int n, const short *restrict a, short *restrict o)
{ for (int i = 0; i < n; i++) { int v = (a[i] * 181) >> 8; o[i] = v; } }

// n=1000:4000000 | a=n b=n o=n
void mix_i16(int n, const short *restrict a, const short *restrict b, short *restrict o)
{ for (int i = 0; i < n; i++) { int s = a[i] + b[i]; o[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s; } }

// n=1000:4000000 | a=n o=n
void pcm_to_float(int n, const short *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] / 32768.0f; }

// n=1000:4000000 | a=n o=n
void soft_clip(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = tanhf(2.0f * a[i]); }

// n=1000:4000000 | a=n+7 o=n
void fir8(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.1f*a[i] + 0.2f*a[i+1] + 0.3f*a[i+2] + 0.4f*a[i+3]
    + 0.4f*a[i+4] + 0.3f*a[i+5] + 0.2f*a[i+6] + 0.1f*a[i+7]; }

// n=1000:4000000 | a=n o=n
void decibel(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 20.0f * log10f(fabsf(a[i]) + 1e-9f); }

// n=1000:4000000 | a=n o=n
void float_to_pcm(int n, const float *restrict a, short *restrict o) { for (int i = 0; i < n; i++) {
  float v = a[i] * 32767.0f; v = v > 32767.0f ? 32767.0f : v < -32768.0f ? -32768.0f : v; o[i] = (short)v; } }

// n=1000:4000000 | a=2*n o=2*n
void mid_side(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = 0.5f*(a[2*i] + a[2*i+1]); o[2*i+1] = 0.5f*(a[2*i] - a[2*i+1]); } }

// n=1000:4000000 | a=n b=n o=2*n
void to_stereo(int n, const float *restrict a, const float *restrict b, float *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = a[i]; o[2*i+1] = b[i]; } }

// n=1000:4000000 | a=n
int peak_i16(int n, const short *restrict a)
{ int s = 0; for (int i = 0; i < n; i++) { int v = a[i] < 0 ? -a[i] : a[i]; if (v > s) s = v; } return s; }

// n=1000:4000000 | a=n+15 c=16 o=n
void fir_i16(int n, const short *restrict a, const short *restrict c, short *restrict o)
{ for (int i = 0; i < n; i++) { int s = 1 << 14; for (int k = 0; k < 16; k++) s += a[i+k]*c[k];
    s >>= 15; o[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s; } }

// n=1000:1000000 | a=n o=n
void biquad(int n, const float *restrict a, float *restrict o)
{ float x1 = 0, x2 = 0, y1 = 0, y2 = 0; for (int i = 0; i < n; i++) {
    float y = 0.2f*a[i] + 0.4f*x1 + 0.2f*x2 + 0.5f*y1 - 0.2f*y2; x2 = x1; x1 = a[i]; y2 = y1; y1 = y; o[i] = y; } }

// n=1000:4000000 | a=2*n g=n o=2*n
void pan_i16(int n, const short *restrict a, const short *restrict g, short *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = (a[2*i]*g[i]) >> 15; o[2*i+1] = (a[2*i+1]*g[i]) >> 15; } }

// n=1000:4000000 | a=2*n o=n
void stereo_to_float(int n, const short *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = (a[2*i] + a[2*i+1]) * (0.5f/32768.0f); }
