/* delinearise: a flat subscript is one of rows, by an assumption */
void rows(float *a, const float *x, int n, int lda) {
  for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) a[i * lda + k] *= x[k];
}
/* if_conversion: a branch on data is a selection, where memory is touched on both paths */
void clip(double *x, int n) { for (int i = 0; i < n; i++) if (x[i] < 0) x[i] = 0; }
/* mem2reg: what a cell holds is known; what is computed twice is so once */
void twice(double *x, int n) {
  for (int i = 0; i < n; i++) { double t = x[i]; t = t * t; x[i] = t + x[i] * x[i]; }
}
