/* Programs, by number, that call functions of `assumptions.c` twice: as their raised code assumes, and then not so.
   With RAISED, each line tells whether the test of the raised code holds; else what it has to be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <stdint.h>
extern double level[256];
void add(int, const double *, const double *, double *);
void halves(int, const uint16_t *, uint16_t *);
void mul(int, const double *, const double *, double *);
void fill(int, int, int, int *, const int *);
void wrap(unsigned, unsigned, int *);
void smooth(int, const int *, int *);
void levels(int, int, double *);
int larger(int, int *, int *);
void bytes(size_t, uint8_t *, const uint8_t *);
void given(int, const int *, int *, int *);
struct text { unsigned char w[96]; };
struct line { int n; struct text *next; unsigned char w[96]; };
void counted(const struct line *, int *);
void behind(const struct line *, unsigned char *);
void turned(int, const float *, float *);
void rows(int, int, int (*)[8]);
void without(int, int, int *restrict, void *restrict);
static _Alignas(64) unsigned char raw[1 << 16], fresh[1 << 16];
static double *d = (double *)raw; static float *f = (float *)raw; static int *k = (int *)raw; static uint16_t *h = (uint16_t *)raw;
static void said(int right, int holds) {
  uint64_t sum = 1469598103934665603ull;
  for (size_t i = 0; i < sizeof raw; i++) sum = (sum ^ raw[i]) * 1099511628211ull;
  for (size_t i = 0; i < 256; i++) sum = sum * 31 + (uint64_t)(int64_t)level[i];
  printf("%s %d %016llx\n", right ? "as assumed" : "not so", holds, (unsigned long long)sum);
  memcpy(raw, fresh, sizeof raw);
}
#ifdef RAISED
#define CALL(right, name, ...) do { extern _Bool raise_cc_holds_##name(); int holds_ = raise_cc_holds_##name(__VA_ARGS__); name(__VA_ARGS__); said(right, holds_); } while (0)
#else
#define CALL(right, name, ...) do { name(__VA_ARGS__); said(right, right); } while (0)
#endif
static void numbers(void) { for (int i = 0; i < 4096; i++) d[i] = (i * 37 % 101) - 50.25; memcpy(fresh, raw, sizeof raw); }
static void integers(void) { for (int i = 0; i < 16384; i++) k[i] = i * 7919 % 10007 - 3000; memcpy(fresh, raw, sizeof raw); }
static void floats(void) { for (int i = 0; i < 16384; i++) f[i] = i % 977; memcpy(fresh, raw, sizeof raw); }
static struct line first[4];
static struct text second;
int main(int argc, char **argv) {
  for (int i = 0; i < 256; i++) level[i] = i;
  switch (argc > 1 ? atoi(argv[1]) : -1) {
  case 0: /* the result lies one behind an operand */
    numbers(); CALL(1, add, 500, d, d + 500, d + 1000); CALL(0, add, 500, d, d + 500, d + 1);
    break;
  case 1: /* misaligned doubles that overlap by a byte */
    numbers(); CALL(1, add, 200, (double *)(raw + 3), (double *)(raw + 1605), (double *)(raw + 3203 + 4));
    CALL(0, add, 200, (double *)(raw + 3), (double *)(raw + 1605), (double *)(raw + 3204)); break;
  case 2: /* a product in the place of one of its factors */
    numbers(); CALL(1, mul, 20, d, d + 400, d + 800); CALL(0, mul, 20, d, d + 400, d); CALL(0, mul, 20, d, d + 400, d + 799); break;
  case 3: /* n beyond the rows, negative rows */
    integers(); CALL(1, fill, 9, 30, 30, k, k + 8000); CALL(0, fill, 9, 31, 30, k, k + 8000); CALL(0, fill, 9, 30, -4, k + 300, k + 8000); break;
  case 4: /* unsigned arithmetic that wraps around */
    integers(); CALL(1, wrap, 200, 7, k); CALL(0, wrap, 200, -5u, k); CALL(0, wrap, 90, -3u, k); break;
  case 5: /* a stencil in place */
    integers(); CALL(1, smooth, 600, k, k + 1000); CALL(0, smooth, 600, k, k); CALL(0, smooth, 600, k, k + 3); break;
  case 6: /* the argument is a global that is read */
    numbers(); CALL(1, levels, 4, 50, d); CALL(0, levels, 4, 50, level); CALL(0, levels, 4, 50, level + 40); break;
  case 7: /* the second loop reads what the first one wrote */
    integers(); CALL(1, larger, 300, k, k + 300); CALL(0, larger, 300, k, k + 4); CALL(0, larger, 300, k + 4, k); break;
  case 8: /* bytes, shifted by one: each depends on the one before */
    integers(); CALL(1, bytes, (size_t)999, raw, raw + 999); CALL(0, bytes, (size_t)999, raw + 1, raw); CALL(0, bytes, (size_t)999, raw, raw + 998); break;
  case 9: /* transposed in place */
    floats(); CALL(1, turned, 33, f, f + 1089); CALL(0, turned, 33, f, f); CALL(0, turned, 33, f + 1088, f); break;
  case 10: /* a static function that is inlined: what the raised one is called with */
    integers(); CALL(1, halves, 400, h, h + 400); CALL(0, halves, 400, h, h + 1); break;
  case 11: /* null pointers: all is left as it is, or a result is left out */
    integers(); CALL(1, given, 400, k, k + 400, k + 800); CALL(0, given, 400, (int *)0, k, k + 800); CALL(0, given, 400, k, (int *)0, k);
    CALL(0, given, 400, k, k + 400, (int *)0); break;
  case 12: /* a field that is read once is written, as a number, and by its bytes */
    integers(); first->n = 400; CALL(1, counted, first, k); CALL(0, counted, first, &first->n); printf("%d\n", first->n);
    k[100] = 400; CALL(0, counted, (struct line *)(k + 100), k); break;
  case 13: /* so is a pointer on the way to a field, by the bytes that it has */
    integers(); first->next = &second; memcpy(second.w, &first->next, sizeof first->next); CALL(1, behind, first, first[2].w);
    CALL(0, behind, first, (unsigned char *)&first->next); first[1].next = &second;
    CALL(0, behind, first + 1, (unsigned char *)&first[1].next - 95); break;
  case 14: /* an array that has more rows than its parameter says, which is for the reader only */
    integers(); CALL(1, rows, 30, 3, (int (*)[8])k); CALL(0, rows, 77, 3, (int (*)[8])k); break;
  case 15: /* rows without elements */
    integers(); CALL(1, without, 90, 5, k, k + 100); CALL(0, without, 90, 0, k, k + 100); break;
  default: return 2;
  }
  return 0;
}
