"""The other half of PolyBench/C 4.2.1: kernels with a loop that runs in sequence, as Python text like `sources.py`.

A backward loop counts forward, and its subscripts down. Numbers that the C code computes from
sizes are `float(N)` here; integers (floyd-warshall, nussinov) are floats.
"""

from __future__ import annotations

from tests.kernels.sources import Source

LINEAR = {
    "cholesky": Source(
        """
def kernel_cholesky(A: (N, N)):
    "L L' = A, in the lower triangle of A"
    for i in range(N):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = sqrt(A[i, i])
""",
        {"N": 2000},
    ),
    "durbin": Source(
        """
def kernel_durbin(r: (N,), y: (N,), z: (N,)):
    "Levinson-Durbin recursion for a Toeplitz system"
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, N):
        beta = (1.0 - alpha * alpha) * beta
        sum = 0.0
        for i in range(k):
            sum += r[k - i - 1] * y[i]
        alpha = -(r[k] + sum) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
""",
        {"N": 2000},
    ),
    "gramschmidt": Source(
        """
def kernel_gramschmidt(A: (N, M), R: (M, M), Q: (N, M)):
    "Q R = A, column by column"
    for k in range(M):
        nrm = 0.0
        for i in range(N):
            nrm += A[i, k] * A[i, k]
        R[k, k] = sqrt(nrm)
        for i in range(N):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, M):
            R[k, j] = 0.0
            for i in range(N):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(N):
                A[i, j] = A[i, j] - Q[i, k] * R[k, j]
""",
        {"M": 1200, "N": 1000},
    ),
    "lu": Source(
        """
def kernel_lu(A: (N, N)):
    "L U = A in place, row by row"
    for i in range(N):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, N):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
""",
        {"N": 2000},
    ),
    "ludcmp": Source(
        """
def kernel_ludcmp(A: (N, N), b: (N,), x: (N,), y: (N,)):
    "L U = A in place, then A x = b by two substitutions"
    for i in range(N):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, N):
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(N):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(N):
        w = y[N - 1 - i]
        for j in range(N - i, N):
            w -= A[N - 1 - i, j] * x[j]
        x[N - 1 - i] = w / A[N - 1 - i, N - 1 - i]
""",
        {"N": 2000},
    ),
    "trisolv": Source(
        """
def kernel_trisolv(L: (N, N), x: (N,), b: (N,)):
    "L x = b, L lower triangular"
    for i in range(N):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] = x[i] / L[i, i]
""",
        {"N": 2000},
    ),
}

PATHS = {
    "floyd-warshall": Source(
        """
def kernel_floyd_warshall(path: (N, N)):
    "shortest paths between all pairs"
    for k in range(N):
        for i in range(N):
            for j in range(N):
                way = path[i, k] + path[k, j]
                path[i, j] = path[i, j] if path[i, j] < way else way
""",
        {"N": 2800},
    ),
    "nussinov": Source(
        """
def kernel_nussinov(seq: (N,), table: (N, N)):
    "most base pairs of each stretch of a sequence, from its end"
    for i in range(N):
        for j in range(N - i, N):
            table[N - 1 - i, j] = (
                table[N - 1 - i, j] if table[N - 1 - i, j] >= table[N - 1 - i, j - 1] else table[N - 1 - i, j - 1]
            )
            table[N - 1 - i, j] = (
                table[N - 1 - i, j] if table[N - 1 - i, j] >= table[N - i, j] else table[N - i, j]
            )
            if N - i + 1 <= j:
                both = seq[N - 1 - i] + seq[j]
                pair = table[N - i, j - 1] + (1.0 if both == 3.0 else 0.0)
                table[N - 1 - i, j] = table[N - 1 - i, j] if table[N - 1 - i, j] >= pair else pair
            if j <= N - i:
                table[N - 1 - i, j] = (
                    table[N - 1 - i, j] if table[N - 1 - i, j] >= table[N - i, j - 1] else table[N - i, j - 1]
                )
            for k in range(N - i, j):
                split = table[N - 1 - i, k] + table[k + 1, j]
                table[N - 1 - i, j] = table[N - 1 - i, j] if table[N - 1 - i, j] >= split else split
""",
        {"N": 2500},
    ),
    "deriche": Source(
        """
def kernel_deriche(alpha, imgIn: (W, H), imgOut: (W, H), y1: (W, H), y2: (W, H)):
    "recursive edge filter: along the rows both ways, then along the columns both ways"
    drop = exp(-alpha)
    k = (1.0 - drop) * (1.0 - drop) / (1.0 + 2.0 * alpha * drop - exp(2.0 * alpha))
    a2 = k * drop * (alpha - 1.0)
    a3 = k * drop * (alpha + 1.0)
    a4 = -k * exp(-2.0 * alpha)
    b1 = powf(2.0, -alpha)
    b2 = -exp(-2.0 * alpha)
    for i in range(W):
        ym1 = 0.0
        ym2 = 0.0
        xm1 = 0.0
        for j in range(H):
            y1[i, j] = k * imgIn[i, j] + a2 * xm1 + b1 * ym1 + b2 * ym2
            xm1 = imgIn[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for i in range(W):
        yp1 = 0.0
        yp2 = 0.0
        xp1 = 0.0
        xp2 = 0.0
        for j in range(H):
            y2[i, H - 1 - j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2
            xp2 = xp1
            xp1 = imgIn[i, H - 1 - j]
            yp2 = yp1
            yp1 = y2[i, H - 1 - j]
    for i in range(W):
        for j in range(H):
            imgOut[i, j] = y1[i, j] + y2[i, j]
    for j in range(H):
        tm1 = 0.0
        ym1 = 0.0
        ym2 = 0.0
        for i in range(W):
            y1[i, j] = k * imgOut[i, j] + a2 * tm1 + b1 * ym1 + b2 * ym2
            tm1 = imgOut[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for j in range(H):
        tp1 = 0.0
        tp2 = 0.0
        yp1 = 0.0
        yp2 = 0.0
        for i in range(W):
            y2[W - 1 - i, j] = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2
            tp2 = tp1
            tp1 = imgOut[W - 1 - i, j]
            yp2 = yp1
            yp1 = y2[W - 1 - i, j]
    for i in range(W):
        for j in range(H):
            imgOut[i, j] = y1[i, j] + y2[i, j]
""",
        {"W": 4096, "H": 2160},
    ),
}
