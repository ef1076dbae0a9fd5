// n=1000:4000000 | a=3*n o=n
void gray_u8(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = (77*a[3*i] + 150*a[3*i+1] + 29*a[3*i+2]) >> 8; }

// n=1000:4000000 | a=3*n o=n
void gray_f32(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.299f*a[3*i] + 0.587f*a[3*i+1] + 0.114f*a[3*i+2]; }

// n=1000:4000000 | a=4*n o=n
void alpha_u8(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[4*i+3]; }

// n=1000:4000000 | a=3*n o=3*n
void swap_rb(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { o[3*i] = a[3*i+2]; o[3*i+1] = a[3*i+1]; o[3*i+2] = a[3*i]; } }

// n=1000:4000000 | a=3*n o=3*n
void sepia(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) {
    float r = a[3*i], g = a[3*i+1], b = a[3*i+2];
    o[3*i] = 0.393f*r + 0.769f*g + 0.189f*b; o[3*i+1] = 0.349f*r + 0.686f*g + 0.168f*b;
    o[3*i+2] = 0.272f*r + 0.534f*g + 0.131f*b; } }

// n=1000:4000000 | a=n b=n o=n
void blend_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) o[i] = (a[i]*100 + b[i]*155 + 127) / 255; }

// n=1000:4000000 | a=n b=n o=n
void mix_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) o[i] = (a[i] + b[i] + 1) >> 1; }

// n=1000:4000000 | a=n b=n o=n
void add_saturated(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) { int s = a[i] + b[i]; o[i] = s > 255 ? 255 : s; } }

// n=1000:4000000 | a=n b=n o=n
void difference_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) { int d = a[i] - b[i]; o[i] = d < 0 ? -d : d; } }

// n=1000:4000000 | a=n o=n
void threshold(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] > 100 ? 255 : 0; }

// n=1000:4000000 | a=n o=n
void invert(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 255 - a[i]; }

// n=1000:4000000 | a=n o=n
void to_float(int n, const unsigned char *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] * (1.0f / 255.0f); }

// n=1000:4000000 | a=n o=n
void brighter(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { float v = a[i] * 1.2f + 10.0f; o[i] = v > 255.0f ? 255 : (unsigned char)v; } }

// h=60:2000 w=100:3000 | a=h*w o=h*w
void blur3(int h, int w, const float a[restrict h][w], float o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++) { float s = 0;
    for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) s += a[i+y][j+x]; o[i][j] = s / 9.0f; } }

// h=60:2000 w=100:3000 | a=h*w o=h*w
void sobel(int h, int w, const float a[restrict h][w], float o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    o[i][j] = a[i-1][j+1] + 2*a[i][j+1] + a[i+1][j+1] - a[i-1][j-1] - 2*a[i][j-1] - a[i+1][j-1]; }

// h=60:2000 w=100:3000 | a=h*w o=h*w
void box_u8(int h, int w, const unsigned char a[restrict h][w], unsigned char o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    o[i][j] = (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1] + 4*a[i][j] + 4) >> 3; }

// h=60:2000 w=100:3000 | a=4*h*w o=h*w
void half_size(int h, int w, const float a[restrict 2*h][2*w], float o[restrict h][w])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++)
    o[i][j] = 0.25f * (a[2*i][2*j] + a[2*i][2*j+1] + a[2*i+1][2*j] + a[2*i+1][2*j+1]); }

// h=60:2000 w=100:3000 | a=h*w o=h*w
void flip(int h, int w, const float a[restrict h][w], float o[restrict h][w])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) o[i][j] = a[i][w-1-j]; }

// h=60:2000 w=100:3000 | a=h*w o=h*w
void transpose(int h, int w, const float a[restrict h][w], float o[restrict w][h])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) o[j][i] = a[i][j]; }

// n=1000:4000000 | a=4*n o=4*n
void premultiply(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { int w = a[4*i+3]; o[4*i] = a[4*i]*w/255; o[4*i+1] = a[4*i+1]*w/255;
    o[4*i+2] = a[4*i+2]*w/255; o[4*i+3] = w; } }

// h=60:2000 w=100:3000 | a=4*h*w o=h*w
void largest_of_four(int h, int w, const float a[restrict 2*h][2*w], float o[restrict h][w])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) {
    float x = a[2*i][2*j] > a[2*i][2*j+1] ? a[2*i][2*j] : a[2*i][2*j+1];
    float y = a[2*i+1][2*j] > a[2*i+1][2*j+1] ? a[2*i+1][2*j] : a[2*i+1][2*j+1]; o[i][j] = x > y ? x : y; } }

// h=60:2000 w=100:3000 | a=h*w o=h*w
void gradient_u8(int h, int w, const unsigned char a[restrict h][w], unsigned char o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++) { int x = a[i][j+1] - a[i][j-1], y = a[i+1][j] - a[i-1][j];
    x = x < 0 ? -x : x; y = y < 0 ? -y : y; o[i][j] = (x + y) >> 1; } }

// n=1000:4000000 | a=n t=256 o=n
void look_up(int n, const unsigned char *restrict a, const unsigned char *restrict t, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = t[a[i]]; }

// n=1000:1000000 | y=n u=n v=n o=3*n
void yuv_to_rgb(int n, const unsigned char *restrict y, const unsigned char *restrict u,
  const unsigned char *restrict v, unsigned char *restrict o) { for (int i = 0; i < n; i++) {
  int c = y[i] - 16, d = u[i] - 128, e = v[i] - 128;
  int r = (298*c + 409*e + 128) >> 8, g = (298*c - 100*d - 208*e + 128) >> 8, b = (298*c + 516*d + 128) >> 8;
  o[3*i] = r < 0 ? 0 : r > 255 ? 255 : r; o[3*i+1] = g < 0 ? 0 : g > 255 ? 255 : g;
  o[3*i+2] = b < 0 ? 0 : b > 255 ? 255 : b; } }

// n=1000:4000000 | a=n b=n m=n o=n
void alpha_blend(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  const unsigned char *restrict m, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = (a[i]*m[i] + b[i]*(255 - m[i]) + 127) / 255; }

// h=30:800 w=50:1000 | a=4*h*w o=h*w
void half_u8(int h, int w, const unsigned char a[restrict 2*h][2*w], unsigned char o[restrict h][w])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++)
    o[i][j] = (a[2*i][2*j] + a[2*i][2*j+1] + a[2*i+1][2*j] + a[2*i+1][2*j+1] + 2) >> 2; }

// n=1000:4000000 | a=n o=3*n
void gray_to_rgb(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { o[3*i] = a[i]; o[3*i+1] = a[i]; o[3*i+2] = a[i]; } }

// n=1000:4000000 | a=3*n o=3*n
void rgb_gain(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { int r = a[3*i]*140 >> 7, g = a[3*i+1]*128 >> 7, b = a[3*i+2]*120 >> 7;
    o[3*i] = r > 255 ? 255 : r; o[3*i+1] = g; o[3*i+2] = b; } }

// n=1000:4000000 | a=4*n b=4*n o=4*n
void over_rgba(int n, const unsigned char *restrict a, const unsigned char *restrict b, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { int w = 255 - a[4*i+3];
    o[4*i] = a[4*i] + (b[4*i]*w + 127)/255; o[4*i+1] = a[4*i+1] + (b[4*i+1]*w + 127)/255;
    o[4*i+2] = a[4*i+2] + (b[4*i+2]*w + 127)/255; o[4*i+3] = a[4*i+3] + (b[4*i+3]*w + 127)/255; } }

// h=60:2000 w=100:3000 | a=(h+2)*(w+2) o=h*w
void erode_u8(int h, int w, const unsigned char a[restrict h+2][w+2], unsigned char o[restrict h][w])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) { int s = 255;
    for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++) s = a[i+y][j+x] < s ? a[i+y][j+x] : s; o[i][j] = s; } }

// n=1000:4000000 | a=4*n o=n
void luma_rgba(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = (66*a[4*i] + 129*a[4*i+1] + 25*a[4*i+2] + 128) >> 8; }
