"""PolyBench's stencils as Python text like `sources.py`; T is the number of time steps."""

from __future__ import annotations

from tests.kernels.sources import Source

STENCILS = {
    "adi": Source(
        """
def kernel_adi(u: (N, N), v: (N, N), p: (N, N), q: (N, N)):
    "alternating direction implicit solver of the heat equation"
    dx = 1.0 / float(N)
    dt = 1.0 / float(T)
    mul1 = 2.0 * dt / (dx * dx)
    mul2 = 1.0 * dt / (dx * dx)
    a = -mul1 / 2.0
    b = 1.0 + mul1
    c = a
    d = -mul2 / 2.0
    e = 1.0 + mul2
    f = d
    for t in range(T):
        "columns"
        for i in range(1, N - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = v[0, i]
            for j in range(1, N - 1):
                p[i, j] = -c / (a * p[i, j - 1] + b)
                q[i, j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - f * u[j, i + 1] - a * q[i, j - 1]) / (
                    a * p[i, j - 1] + b
                )
            v[N - 1, i] = 1.0
            for j in range(1, N - 1):
                v[N - 1 - j, i] = p[i, N - 1 - j] * v[N - j, i] + q[i, N - 1 - j]
        "rows"
        for i in range(1, N - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = u[i, 0]
            for j in range(1, N - 1):
                p[i, j] = -f / (d * p[i, j - 1] + e)
                q[i, j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - c * v[i + 1, j] - d * q[i, j - 1]) / (
                    d * p[i, j - 1] + e
                )
            u[i, N - 1] = 1.0
            for j in range(1, N - 1):
                u[i, N - 1 - j] = p[i, N - 1 - j] * u[i, N - j] + q[i, N - 1 - j]
""",
        {"T": 500, "N": 1000},
    ),
    "fdtd-2d": Source(
        """
def kernel_fdtd_2d(ex: (NX, NY), ey: (NX, NY), hz: (NX, NY), fict: (T,)):
    "electric and magnetic field in turn"
    for t in range(T):
        for j in range(NY):
            ey[0, j] = fict[t]
        for i in range(1, NX):
            for j in range(NY):
                ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(NX):
            for j in range(1, NY):
                ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(NX - 1):
            for j in range(NY - 1):
                hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
""",
        {"T": 500, "NX": 1000, "NY": 1200},
    ),
    "heat-3d": Source(
        """
def kernel_heat_3d(A: (N, N, N), B: (N, N, N)):
    "A and B in turn"
    for t in range(T):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                for k in range(1, N - 1):
                    B[i, j, k] = (
                        0.125 * (A[i + 1, j, k] - 2.0 * A[i, j, k] + A[i - 1, j, k])
                        + 0.125 * (A[i, j + 1, k] - 2.0 * A[i, j, k] + A[i, j - 1, k])
                        + 0.125 * (A[i, j, k + 1] - 2.0 * A[i, j, k] + A[i, j, k - 1])
                        + A[i, j, k]
                    )
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                for k in range(1, N - 1):
                    A[i, j, k] = (
                        0.125 * (B[i + 1, j, k] - 2.0 * B[i, j, k] + B[i - 1, j, k])
                        + 0.125 * (B[i, j + 1, k] - 2.0 * B[i, j, k] + B[i, j - 1, k])
                        + 0.125 * (B[i, j, k + 1] - 2.0 * B[i, j, k] + B[i, j, k - 1])
                        + B[i, j, k]
                    )
""",
        {"T": 500, "N": 120},
    ),
    "jacobi-1d": Source(
        """
def kernel_jacobi_1d(A: (N,), B: (N,)):
    "A and B in turn"
    for t in range(T):
        for i in range(1, N - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, N - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])
""",
        {"T": 500, "N": 2000},
    ),
    "jacobi-2d": Source(
        """
def kernel_jacobi_2d(A: (N, N), B: (N, N)):
    "A and B in turn"
    for t in range(T):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
""",
        {"T": 500, "N": 1300},
    ),
    "seidel-2d": Source(
        """
def kernel_seidel_2d(A: (N, N)):
    "each element from its neighbours, in place"
    for t in range(T):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                A[i, j] = (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0
""",
        {"T": 500, "N": 2000},
    ),
}
