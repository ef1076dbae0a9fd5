/* Loops of statistics; statistics.py has their ports. */
#include <math.h>

double mean(int n, double x[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  return s / n;
}

double variance(int n, double mean, double x[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) s += (x[i] - mean) * (x[i] - mean);
  return s / (n - 1);
}

void column_sums(int n, int m, double X[n][m], double s[m]) {
  for (int j = 0; j < m; j++) {
    s[j] = 0;
    for (int i = 0; i < n; i++) s[j] += X[i][j];
  }
}

void centred(int n, int m, double X[n][m], double mean[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) X[i][j] -= mean[j];
}

void scaled(int n, int m, double X[n][m], double mean[m], double deviation[m], double Z[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) Z[i][j] = (X[i][j] - mean[j]) / deviation[j];
}

double largest(int n, double x[n]) {
  double best = -INFINITY;
  for (int i = 0; i < n; i++) best = fmax(best, x[i]);
  return best;
}

void clipped(int n, double low, double high, double x[n]) {
  for (int i = 0; i < n; i++) {
    if (x[i] < low) x[i] = low;
    if (x[i] > high) x[i] = high;
  }
}

double weighted(int n, double w[n], double x[n]) {
  double s = 0, t = 0;
  for (int i = 0; i < n; i++) {
    s += w[i] * x[i];
    t += w[i];
  }
  return s / t;
}

int above(int n, double limit, double x[n]) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > limit) count++;
  return count;
}
