/* Loops over neighbours, and of time; stencils.py has their ports. */

void jacobi(int n, double a[n], double b[n]) {
  for (int i = 1; i < n - 1; i++) b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
}

void laplace(int n, int m, double u[n][m], double v[n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
}

void heat(int n, int steps, double k, double u[n], double v[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = u[i] + k * (u[i + 1] - 2 * u[i] + u[i - 1]);
    for (int i = 1; i < n - 1; i++) u[i] = v[i];
  }
}

void gradient(int n, double h, double f[n], double g[n]) {
  for (int i = 1; i < n - 1; i++) g[i] = (f[i + 1] - f[i - 1]) / (2 * h);
}

void upwind(int n, double c, double u[n], double v[n]) {
  v[0] = u[0];
  for (int i = 1; i < n; i++) v[i] = u[i] - c * (u[i] - u[i - 1]);
}

void blurred(int n, int m, float image[n][m], float out[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = 0.25f * image[i][j - 1] + 0.5f * image[i][j] + 0.25f * image[i][j + 1];
}

void pooled(int n, int m, double x[2 * n][2 * m], double y[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i][j] = 0.25 * (x[2 * i][2 * j] + x[2 * i + 1][2 * j] + x[2 * i][2 * j + 1] + x[2 * i + 1][2 * j + 1]);
}

void staggered(int n, double dt, double e[n], double h[n]) {
  for (int i = 0; i < n - 1; i++) h[i] = h[i] + dt * (e[i + 1] - e[i]);
  for (int i = 1; i < n; i++) e[i] = e[i] + dt * (h[i] - h[i - 1]);
}
