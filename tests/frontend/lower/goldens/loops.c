/* counters in closed form: two of them, one goes backwards; the loop's own begins at 0 */
void both(double *x, int n) { for (int i = 0, j = n - 1; i < j; i += 2, j--) x[i] = x[j]; }
/* pointers that walk, a size_t that counts down */
void walk(double *d, const double *s, unsigned long n) { while (n--) *d++ = *s++; }
/* a test behind the body */
void once(double *x, int n) { int i = 0; do x[i] = i; while (++i < n); }
/* conditions on counters and sizes are domains; those on data are branches */
void domain(double *x, int n, int m) {
  for (int i = 0; i < n; i++) if (i > 2 && i != m) x[i] = 1;
}
/* cases of an affine subscript */
void clamped(double *d, const double *s, int n) {
  for (int i = 0; i < n; i++) d[i] = s[i > 0 ? i - 1 : 0];
}
/* a counter that is data is a cell */
int count(const double *x, int n) { int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0) k++; return k; }
