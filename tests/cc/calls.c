#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <math.h>
struct img { int w, h; float *px; float gain; };
void add(int, const double *, const double *, double *); void knr(); extern double (*fp)(int, const double *, const double *);
void gemv(int, int, int, const double *, const double *, double *); void rev(unsigned, int *);
void bright(struct img *); void bump(int); extern int table[64], count; long rsum(int, int, const int *);
unsigned long work(int, int *, FILE *); void contrast(int, uint8_t *, float, int); void blur(int h, int w, uint8_t (*d)[w], const uint8_t (*s)[w]); void mix16(int, short *, const short *, int); void cpy(int, int *, const int *); unsigned long usum(const uint8_t *, unsigned long, unsigned long); void even(int, const double *, double *); void evenf(int, const float *, int *); void torus(int (*)[12], int (*)[12]); void coded(int, double *);
static uint64_t hash(const void *p, size_t n) { uint64_t h = 1469598103934665603ull; for (const unsigned char *q = p; n--; q++) { h ^= *q; h *= 1099511628211ull; } return h; }
int main(void) {
  _Alignas(16) static double d[4000]; static char raw[40000]; static int in[4000];
#define RESET for (int i = 0; i < 4000; i++) { d[i] = (i * 37 % 101) - 50.25; in[i] = (i * 7919) % 1000 - 300; }
  RESET
  for (int n = -1; n < 140; n += 7) for (int o = -3; o <= 3; o++) { add(n, d + 100, d + 100 + o, d + 103); add(n, d + 200, d + 300, d + 200 + o * 40); } printf("add %lx\n", hash(d, sizeof d));
  RESET double *mis = (double *)(raw + 1); memcpy(mis, d, 8000); add(90, mis, mis + 100, mis + 300); add(90, mis, (double *)(raw + 6), mis + 300); printf("mis %lx\n", hash(raw, sizeof raw));
  knr(d, 150, 1.5, 'a'); knr(d, 0, 1.5, 'a'); knr(d, -3, 1.5, 'a'); printf("knr %lx\n", hash(d, sizeof d));
  for (int n = -2; n < 40; n++) printf("%a ", fp(n, d, d + n / 2 + 2)); puts("");
  for (int lda = -3; lda < 20; lda++) gemv(5, 7, lda, d + 100, d + 500, d + 1000), gemv(5, 7, lda, d + 100, d + 100, d + 98 + lda); printf("gemv %lx\n", hash(d, sizeof d));
  rev(1, in); rev(150, in); printf("rev %lx\n", hash(in, sizeof in));
  float px[500]; for (int i = 0; i < 500; i++) px[i] = i; struct img im = {20, 25, px, 1.5f}; bright(&im); im.px = &im.gain; im.w = im.h = 1; bright(&im); im.px = px; im.w = -1; bright(&im); printf("img %lx %a\n", hash(px, sizeof px), im.gain);
  struct { struct img i; float t[8]; } ov; memset(&ov, 0, sizeof ov); ov.i.w = 2; ov.i.h = 3; ov.i.gain = 2; ov.i.px = &ov.i.gain - 0; ov.t[1] = 3; bright(&ov.i); printf("ov %a %a %d\n", ov.i.gain, ov.t[1], ov.i.h);
  bump(3); count = 5; bump(1); count = -1; bump(7); printf("bump %lx\n", hash(table, sizeof table)); printf("rsum %ld\n", rsum(5, 100, in));
  RESET printf("%lu\n", work(100, in, stdout)); printf("%lu\n", work(0, in, stdout)); printf("%lu %lx\n", work(2, in, stdout), hash(in, sizeof in));
  uint8_t im1[30][40], im2[30][40]; memset(im2, 0, sizeof im2); for (int i = 0; i < 1200; i++) im1[i / 40][i % 40] = i * 31; blur(30, 40, im2, (void *)im1); blur(30, 40, im1, (void *)im1); blur(2, 40, im1, (void *)im2); blur(1, 40, im1, (void *)im2); printf("blur %lx %lx\n", hash(im1, 1200), hash(im2, 1200));
  short s[300]; for (int i = 0; i < 300; i++) s[i] = i * 1000; mix16(200, s, s + 50, 300); mix16(200, s + 1, s, -700); mix16(100, s, s + 200, 77); printf("mix %lx\n", hash(s, sizeof s));
  cpy(100, in, in + 1); cpy(100, in + 1, in); cpy(100, in + 500, in); cpy(1, in, in); cpy(100, in, in); printf("cpy %lx\n", hash(in, sizeof in));
  for (int i = 0; i < 1000; i++) d[i] = (i - 500) * 0.25; d[0] = -0.0; d[1] = 1e300; d[2] = -1.0 / 0.0; d[3] = 0x1p52 - 0.5; d[4] = -0x1p52 + 0.5; d[5] = 0x1p53; d[6] = 0.49999999999999994; even(1000, d, d + 1000); printf("even %lx\n", hash(d + 1000, 8000));
  for (int i = 0; i < 500; i++) px[i] = (i - 250) * 0.5f; px[0] = 1e9f; evenf(500, px, in); printf("evenf %lx\n", hash(in, 2000)); contrast(500, (uint8_t *)in, 1.3f, -20); contrast(499, (uint8_t *)in, -0.77f, 33); printf("contrast %lx\n", hash(in, 2000));
  printf("usum %lu %lu\n", usum((uint8_t *)in, 1000, 5), usum((uint8_t *)in, 0, 7));
  for (int i = 0; i < 600; i++) in[i] = i * 7 % 3; torus((void *)in, (void *)(in + 200)); torus((void *)in, (void *)in); torus((void *)(in + 200), (void *)(in + 250)); printf("torus %lx\n", hash(in, 2400));
  for (int i = 0; i < 70; i++) d[i] = i; coded(3, d); coded(-5, d + 1); printf("coded %lx\n", hash(d, 800));
  return 0;
}
