/* Effects in expressions become statements, in an order that C allows. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <stdbool.h>

double step(double *p, int n);

double walk(const double *x, double *y, int n) {
  double sum = 0;
  do {
    sum += *x++ * (n & 1 ? y[n]++ : --y[0]);
  } while (--n > 0 && (sum < 10 || step(y, n) > 0.5));
  return n < 0 ? sqrt(sum) : step(y, n), fabs(sum);
}

int chained(int *a, unsigned char *b, int i) {
  int j, k;
  j = k = b[i] = i;
  a[i++] = b[j] += 300;
  return (j > 0 && i++ > 3) + !k;
}

float mixed(short s, unsigned char c, long l, unsigned u, float f, _Bool b) {
  s += c;
  c <<= s;
  u -= l;
  l = u - 1;
  f *= 2.0;
  b = f;
  b += 1;
  return s / c + u * l + f - b;
}

double complex rotate(double complex z, float r) {
  z *= r;
  z = z / 2.0 + r * I;
  __real__ z = 1;
  return conj(z) + creal(z);
}

int least(int n) {
  while (1) {
    if (abs(n) > 4)
      break;
    n = n ?: ({ int k = n; k + 7; });
  }
  for (;; n--)
    if (n < 3)
      return n;
}

double rows(double **m, int n, int k) {
  double *row = m[n], total = 0;
  for (double *p = row, *end = row + k; p != end; ++p)
    total += *p * (end - p);
  return total + m[1][2] + *(m[2] - k) + (&row[3])[-1];
}
