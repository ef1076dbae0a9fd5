/* Loops of linear algebra; algebra.py has their ports. */

void gemm(int n, int m, int k, double alpha, double beta, double C[n][m], double A[n][k], double B[k][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] *= beta;
      for (int p = 0; p < k; p++) C[i][j] += alpha * A[i][p] * B[p][j];
    }
}

void matvec(int n, int m, double A[n][m], double x[m], double y[n]) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++) s += A[i][j] * x[j];
    y[i] = s;
  }
}

void transposed(int n, int m, double A[n][m], double x[n], double y[m]) {
  for (int j = 0; j < m; j++) y[j] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) y[j] += A[i][j] * x[i];
}

void rank_one(int n, int m, double alpha, double A[n][m], double x[n], double y[m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) A[i][j] += alpha * x[i] * y[j];
}

double dot(int n, double x[n], double y[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

void axpy(int n, double a, double x[n], double y[n]) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

double frobenius(int n, int m, double A[n][m]) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s += A[i][j] * A[i][j];
  return s;
}

double trace(int n, double A[n][n]) {
  double s = 0;
  for (int i = 0; i < n; i++) s += A[i][i];
  return s;
}

void gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double x[n], double y[n]) {
  for (int i = 0; i < n; i++) {
    double s = 0, t = 0;
    for (int j = 0; j < n; j++) {
      s += A[i][j] * x[j];
      t += B[i][j] * x[j];
    }
    y[i] = alpha * s + beta * t;
  }
}

void atax(int n, int m, double A[n][m], double x[m], double t[n], double y[m]) {
  for (int j = 0; j < m; j++) y[j] = 0;
  for (int i = 0; i < n; i++) {
    t[i] = 0;
    for (int j = 0; j < m; j++) t[i] += A[i][j] * x[j];
    for (int j = 0; j < m; j++) y[j] += A[i][j] * t[i];
  }
}

void gram(int n, int m, double A[n][m], double G[m][m]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      G[i][j] = 0;
      for (int k = 0; k < n; k++) G[i][j] += A[k][i] * A[k][j];
    }
}

void symmetrised(int n, double A[n][n], double S[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) S[i][j] = 0.5 * (A[i][j] + A[j][i]);
}
