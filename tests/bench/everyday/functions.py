"""Everyday functions in C, of open sizes: image, audio, learning, statistics, linear algebra, physics.

Each is its text, the elements that its pointers have at sizes, and a small and a large set of sizes.
"""

from __future__ import annotations

import re

from raising.support.record import dataclass


@dataclass(frozen=True)
class Function:
    """A function in C; `lengths` are expressions over the sizes, for pointers; `sizes` small and large ones."""

    domain: str
    text: str
    lengths: dict[str, str]
    sizes: tuple[dict[str, int], dict[str, int]]

    @property
    def name(self) -> str:
        """Its name in C."""
        return re.split(r"\W+", self.text.split("(", 1)[0].strip())[-1]


_LINE = ({"n": 1000}, {"n": 4_000_000})
_PLANE = ({"h": 60, "w": 100}, {"h": 2000, "w": 3000})
_TABLE = ({"n": 64, "m": 100}, {"n": 4000, "m": 1000})


def _of(domain: str, sizes: tuple[dict[str, int], dict[str, int]], *pairs: tuple[str, str]) -> list[Function]:
    found = []
    for lengths, text in pairs:
        given = dict(each.split("=") for each in lengths.split())
        found.append(Function(domain, text, given, sizes))
    return found


IMAGE = [
    *_of(
        "image",
        _LINE,
        ("a=3*n o=n", """void gray_u8(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = (77*a[3*i] + 150*a[3*i+1] + 29*a[3*i+2]) >> 8; }"""),
        ("a=3*n o=n", """void gray_f32(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.299f*a[3*i] + 0.587f*a[3*i+1] + 0.114f*a[3*i+2]; }"""),
        ("a=4*n o=n", """void alpha_u8(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[4*i+3]; }"""),
        ("a=3*n o=3*n", """void swap_rb(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { o[3*i] = a[3*i+2]; o[3*i+1] = a[3*i+1]; o[3*i+2] = a[3*i]; } }"""),
        ("a=3*n o=3*n", """void sepia(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) {
    float r = a[3*i], g = a[3*i+1], b = a[3*i+2];
    o[3*i] = 0.393f*r + 0.769f*g + 0.189f*b; o[3*i+1] = 0.349f*r + 0.686f*g + 0.168f*b;
    o[3*i+2] = 0.272f*r + 0.534f*g + 0.131f*b; } }"""),
        ("a=n b=n o=n", """void blend_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) o[i] = (a[i]*100 + b[i]*155 + 127) / 255; }"""),
        ("a=n b=n o=n", """void mix_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) o[i] = (a[i] + b[i] + 1) >> 1; }"""),
        ("a=n b=n o=n", """void add_saturated(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) { int s = a[i] + b[i]; o[i] = s > 255 ? 255 : s; } }"""),
        ("a=n b=n o=n", """void difference_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b,
  unsigned char *restrict o) { for (int i = 0; i < n; i++) { int d = a[i] - b[i]; o[i] = d < 0 ? -d : d; } }"""),
        ("a=n o=n", """void threshold(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] > 100 ? 255 : 0; }"""),
        ("a=n o=n", """void invert(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 255 - a[i]; }"""),
        ("a=n o=n", """void to_float(int n, const unsigned char *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] * (1.0f / 255.0f); }"""),
        ("a=n o=n", """void brighter(int n, const unsigned char *restrict a, unsigned char *restrict o)
{ for (int i = 0; i < n; i++) { float v = a[i] * 1.2f + 10.0f; o[i] = v > 255.0f ? 255 : (unsigned char)v; } }"""),
    ),
    *_of(
        "image",
        _PLANE,
        ("a=h*w o=h*w", """void blur3(int h, int w, const float a[restrict h][w], float o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++) { float s = 0;
    for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) s += a[i+y][j+x]; o[i][j] = s / 9.0f; } }"""),
        ("a=h*w o=h*w", """void sobel(int h, int w, const float a[restrict h][w], float o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    o[i][j] = a[i-1][j+1] + 2*a[i][j+1] + a[i+1][j+1] - a[i-1][j-1] - 2*a[i][j-1] - a[i+1][j-1]; }"""),
        ("a=h*w o=h*w", """void box_u8(int h, int w, const unsigned char a[restrict h][w], unsigned char o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    o[i][j] = (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1] + 4*a[i][j] + 4) >> 3; }"""),
        ("a=4*h*w o=h*w", """void half_size(int h, int w, const float a[restrict 2*h][2*w], float o[restrict h][w])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++)
    o[i][j] = 0.25f * (a[2*i][2*j] + a[2*i][2*j+1] + a[2*i+1][2*j] + a[2*i+1][2*j+1]); }"""),
        ("a=h*w o=h*w", """void flip(int h, int w, const float a[restrict h][w], float o[restrict h][w])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) o[i][j] = a[i][w-1-j]; }"""),
        ("a=h*w o=h*w", """void transpose(int h, int w, const float a[restrict h][w], float o[restrict w][h])
{ for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) o[j][i] = a[i][j]; }"""),
    ),
]
AUDIO = _of(
    "audio",
    _LINE,
    ("a=2*n b=2*n o=2*n", """void complex_product(int n, const float *restrict a, const float *restrict b, float *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = a[2*i]*b[2*i] - a[2*i+1]*b[2*i+1];
    o[2*i+1] = a[2*i]*b[2*i+1] + a[2*i+1]*b[2*i]; } }"""),
    ("a=2*n o=n", """void magnitude(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = sqrtf(a[2*i]*a[2*i] + a[2*i+1]*a[2*i+1]); }"""),
    ("a=2*n o=n", """void power_f64(int n, const double *restrict a, double *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[2*i]*a[2*i] + a[2*i+1]*a[2*i+1]; }"""),
    ("a=2*n o=n", """void mono_i16(int n, const short *restrict a, short *restrict o)
{ for (int i = 0; i < n; i++) o[i] = (a[2*i] + a[2*i+1]) / 2; }"""),
    ("a=n o=2*n", """void stereo_i16(int n, const short *restrict a, short *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = a[i]; o[2*i+1] = a[i]; } }"""),
    ("a=n o=n", """void gain_i16(int n, const short *restrict a, short *restrict o)
{ for (int i = 0; i < n; i++) { int v = (a[i] * 181) >> 8; o[i] = v; } }"""),
    ("a=n b=n o=n", """void mix_i16(int n, const short *restrict a, const short *restrict b, short *restrict o)
{ for (int i = 0; i < n; i++) { int s = a[i] + b[i]; o[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s; } }"""),
    ("a=n o=n", """void pcm_to_float(int n, const short *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] / 32768.0f; }"""),
    ("a=n o=n", """void soft_clip(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = tanhf(2.0f * a[i]); }"""),
    ("a=n+7 o=n", """void fir8(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.1f*a[i] + 0.2f*a[i+1] + 0.3f*a[i+2] + 0.4f*a[i+3]
    + 0.4f*a[i+4] + 0.3f*a[i+5] + 0.2f*a[i+6] + 0.1f*a[i+7]; }"""),
    ("a=n o=n", """void decibel(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 20.0f * log10f(fabsf(a[i]) + 1e-9f); }"""),
)
LEARNING = [
    *_of(
        "learning",
        _TABLE,
        ("x=n*m", """void softmax(int n, int m, float x[restrict n][m])
{ for (int i = 0; i < n; i++) { float mx = x[i][0];
    for (int j = 1; j < m; j++) if (x[i][j] > mx) mx = x[i][j];
    float s = 0.0f; for (int j = 0; j < m; j++) { x[i][j] = expf(x[i][j] - mx); s += x[i][j]; }
    for (int j = 0; j < m; j++) x[i][j] /= s; } }"""),
        ("x=n*m w=m o=n*m", """void rmsnorm(int n, int m, const float x[restrict n][m], const float w[restrict m],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) { float s = 0;
    for (int j = 0; j < m; j++) s += x[i][j]*x[i][j]; s = 1.0f / sqrtf(s / m + 1e-5f);
    for (int j = 0; j < m; j++) o[i][j] = w[j] * (s * x[i][j]); } }"""),
        ("x=n*m w=m b=m o=n*m", """void layernorm(int n, int m, const float x[restrict n][m], const float w[restrict m],
  const float b[restrict m], float o[restrict n][m]) { for (int i = 0; i < n; i++) { float s = 0, v = 0;
    for (int j = 0; j < m; j++) s += x[i][j]; s /= m;
    for (int j = 0; j < m; j++) v += (x[i][j] - s) * (x[i][j] - s); v = 1.0f / sqrtf(v / m + 1e-5f);
    for (int j = 0; j < m; j++) o[i][j] = (x[i][j] - s) * v * w[j] + b[j]; } }"""),
        ("x=n*m b=m o=n*m", """void bias_relu(int n, int m, const float x[restrict n][m], const float b[restrict m],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    float v = x[i][j] + b[j]; o[i][j] = v > 0 ? v : 0; } }"""),
        ("a=n*m b=m o=n", """void linear_i8(int n, int m, const signed char a[restrict n][m], const signed char b[restrict m],
  int o[restrict n]) { for (int i = 0; i < n; i++) { int s = 0; for (int j = 0; j < m; j++) s += a[i][j]*b[j]; o[i] = s; } }"""),
    ),
    *_of(
        "learning",
        _LINE,
        ("a=n o=n", """void sigmoid(int n, const float *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 1.0f / (1.0f + expf(-a[i])); }"""),
        ("a=n o=n", """void gelu(int n, const float *restrict a, float *restrict o) { for (int i = 0; i < n; i++)
  o[i] = 0.5f * a[i] * (1.0f + tanhf(0.7978845f * (a[i] + 0.044715f * a[i]*a[i]*a[i]))); }"""),
        ("a=n o=n", """void quantise(int n, const float *restrict a, signed char *restrict o) { for (int i = 0; i < n; i++) {
  float v = a[i] * 20.0f; v = v > 127.0f ? 127.0f : v < -128.0f ? -128.0f : v; o[i] = (signed char)v; } }"""),
        ("a=n o=n", """void dequantise(int n, const signed char *restrict a, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = a[i] * 0.05f; }"""),
        ("g=n m=n v=n w=n", """void adam(int n, const float *restrict g, float *restrict m, float *restrict v, float *restrict w)
{ for (int i = 0; i < n; i++) { m[i] = 0.9f*m[i] + 0.1f*g[i]; v[i] = 0.99f*v[i] + 0.01f*g[i]*g[i];
    w[i] -= 0.001f * m[i] / (sqrtf(v[i]) + 1e-8f); } }"""),
        ("a=n b=n", """int dot_i8(int n, const signed char *restrict a, const signed char *restrict b)
{ int s = 0; for (int i = 0; i < n; i++) s += a[i]*b[i]; return s; }"""),
    ),
]
STATISTICS = [
    *_of(
        "statistics",
        _LINE,
        ("a=n", """float total(int n, const float *restrict a)
{ float s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }"""),
        ("a=n", """double mean_f64(int n, const double *restrict a)
{ double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s / n; }"""),
        ("a=n", """float largest(int n, const float *restrict a)
{ float s = a[0]; for (int i = 1; i < n; i++) if (a[i] > s) s = a[i]; return s; }"""),
        ("a=n", """int total_u8(int n, const unsigned char *restrict a)
{ int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }"""),
        ("a=n", """int energy_i16(int n, const short *restrict a)
{ int s = 0; for (int i = 0; i < n; i++) s += (a[i] >> 4) * (a[i] >> 4) >> 8; return s; }"""),
        ("a=n b=n", """int differences_u8(int n, const unsigned char *restrict a, const unsigned char *restrict b)
{ int s = 0; for (int i = 0; i < n; i++) { int d = a[i] - b[i]; s += d < 0 ? -d : d; } return s; }"""),
        ("a=n", """int count_over(int n, const float *restrict a)
{ int s = 0; for (int i = 0; i < n; i++) s += a[i] > 0.5f; return s; }"""),
        ("a=n o=n", """void normal(int n, const double *restrict a, double *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.3989422804014327 * exp(-0.5 * a[i] * a[i]); }"""),
    ),
    *_of(
        "statistics",
        _TABLE,
        ("a=n*m o=m", """void column_means(int n, int m, const float a[restrict n][m], float o[restrict m])
{ for (int j = 0; j < m; j++) o[j] = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[j] += a[i][j];
  for (int j = 0; j < m; j++) o[j] /= n; }"""),
        ("a=n*m o=n", """void row_max(int n, int m, const float a[restrict n][m], float o[restrict n])
{ for (int i = 0; i < n; i++) { float s = a[i][0]; for (int j = 1; j < m; j++) if (a[i][j] > s) s = a[i][j]; o[i] = s; } }"""),
        ("a=n*m", """void centre(int n, int m, double a[restrict n][m])
{ for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) s += a[i][j]; s /= m;
    for (int j = 0; j < m; j++) a[i][j] -= s; } }"""),
    ),
]
ALGEBRA = [
    *_of(
        "algebra",
        _LINE,
        ("a=n b=n", """float dot(int n, const float *restrict a, const float *restrict b)
{ float s = 0; for (int i = 0; i < n; i++) s += a[i]*b[i]; return s; }"""),
        ("a=n o=n", """void axpy_f64(int n, const double *restrict a, double *restrict o)
{ for (int i = 0; i < n; i++) o[i] += 1.5 * a[i]; }"""),
        ("a=n o=n", """void rotate(int n, float *restrict a, float *restrict o) { for (int i = 0; i < n; i++) {
  float x = a[i], y = o[i]; a[i] = 0.8f*x + 0.6f*y; o[i] = 0.8f*y - 0.6f*x; } }"""),
        ("a=3*n o=3*n", """void turn_points(int n, const double *restrict a, double *restrict o) { for (int i = 0; i < n; i++) {
  double x = a[3*i], y = a[3*i+1], z = a[3*i+2];
  o[3*i] = 0.36*x + 0.48*y - 0.8*z; o[3*i+1] = -0.8*x + 0.6*y; o[3*i+2] = 0.48*x + 0.64*y + 0.6*z; } }"""),
    ),
    *_of(
        "algebra",
        ({"n": 64, "m": 100}, {"n": 2000, "m": 3000}),
        ("a=n*m x=m o=n", """void gemv(int n, int m, const float a[restrict n][m], const float x[restrict m], float o[restrict n])
{ for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < m; j++) s += a[i][j]*x[j]; o[i] = s; } }"""),
        ("a=n*m x=n o=m", """void gemv_transposed(int n, int m, const float a[restrict n][m], const float x[restrict n],
  float o[restrict m]) { for (int j = 0; j < m; j++) o[j] = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[j] += a[i][j]*x[i]; }"""),
        ("a=n*m x=n y=m", """void ger(int n, int m, double a[restrict n][m], const double x[restrict n], const double y[restrict m])
{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] += x[i]*y[j]; }"""),
    ),
    *_of(
        "algebra",
        ({"n": 40, "m": 30, "d": 16}, {"n": 1000, "m": 1000, "d": 64}),
        ("a=n*d b=m*d o=n*m", """void distances(int n, int m, int d, const float a[restrict n][d], const float b[restrict m][d],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0;
    for (int k = 0; k < d; k++) { float t = a[i][k] - b[j][k]; s += t*t; } o[i][j] = s; } }"""),
        ("a=n*d b=d*m o=n*m", """void gemm(int n, int m, int d, const float a[restrict n][d], const float b[restrict d][m],
  float o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0;
    for (int k = 0; k < d; k++) s += a[i][k]*b[k][j]; o[i][j] = s; } }"""),
        ("a=n*d b=m*d o=n*m", """void gemm_i8(int n, int m, int d, const signed char a[restrict n][d], const signed char b[restrict m][d],
  int o[restrict n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { int s = 0;
    for (int k = 0; k < d; k++) s += a[i][k]*b[j][k]; o[i][j] = s; } }"""),
    ),
]
PHYSICS = [
    *_of(
        "physics",
        _PLANE,
        ("u=h*w o=h*w", """void laplace(int h, int w, const double u[restrict h][w], double o[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    o[i][j] = u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4.0*u[i][j]; }"""),
        ("u=h*w p=h*w", """void wave(int h, int w, const float u[restrict h][w], float p[restrict h][w])
{ for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++)
    p[i][j] = 2*u[i][j] - p[i][j] + 0.2f*(u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1] - 4*u[i][j]); }"""),
        ("u=h*w v=h*w o=h*w", """void curl(int h, int w, const float u[restrict h][w], const float v[restrict h][w], float o[restrict h][w])
{ for (int i = 0; i < h-1; i++) for (int j = 0; j < w-1; j++) o[i][j] = v[i][j+1] - v[i][j] - u[i+1][j] + u[i][j]; }"""),
    ),
    *_of(
        "physics",
        _LINE,
        ("x=3*n v=3*n", """void drift(int n, float *restrict x, const float *restrict v) { for (int i = 0; i < n; i++) {
  x[3*i] += 0.01f*v[3*i]; x[3*i+1] += 0.01f*v[3*i+1]; x[3*i+2] += 0.01f*v[3*i+2]; } }"""),
        ("v=3*n o=n", """void kinetic(int n, const float *restrict v, float *restrict o)
{ for (int i = 0; i < n; i++) o[i] = 0.5f * (v[3*i]*v[3*i] + v[3*i+1]*v[3*i+1] + v[3*i+2]*v[3*i+2]); }"""),
        ("x=2*n y=2*n o=2*n", """void stereo_sum(int n, const double *restrict x, const double *restrict y, double *restrict o)
{ for (int i = 0; i < n; i++) { o[2*i] = x[2*i] + 0.5*y[2*i+1]; o[2*i+1] = x[2*i+1] - 0.5*y[2*i]; } }"""),
        ("r=n o=n", """void lennard_jones(int n, const double *restrict r, double *restrict o) { for (int i = 0; i < n; i++) {
  double s = 1.0 / (r[i]*r[i] + 0.1), t = s*s*s; o[i] = 4.0 * (t*t - t); } }"""),
        ("x=n e=n", """void oscillator(int n, const float *restrict x, float *restrict e)
{ for (int i = 0; i < n; i++) e[i] = sinf(x[i]) * cosf(0.5f * x[i]); }"""),
    ),
]
FUNCTIONS = (*IMAGE, *AUDIO, *LEARNING, *STATISTICS, *ALGEBRA, *PHYSICS)
