"""PolyBench/C 4.2.1 kernels as Python text: one `def` each, array extents as annotations.

The text is parsed with `ast`, never run as a module: `emit.py` prints it as MLIR, `rewrite.py`
derives variants from it. A bare string is a comment that reaches the MLIR. Names in an extent
(`NI`) are sizes; `large` holds their values in PolyBench's LARGE data set.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A kernel and the sizes PolyBench calls LARGE."""

    text: str
    large: dict[str, int]

    def tree(self) -> ast.FunctionDef:
        """Parse afresh, with `x op= e` spelled out as `x = x op e`."""
        (function,) = ast.parse(self.text).body
        assert isinstance(function, ast.FunctionDef)
        return ast.fix_missing_locations(_SpellOut().visit(function))  # type: ignore[no-any-return]


class _SpellOut(ast.NodeTransformer):
    def visit_AugAssign(self, node: ast.AugAssign) -> ast.Assign:
        loaded = ast.parse(ast.unparse(node.target), mode="eval").body
        return ast.Assign([node.target], ast.BinOp(loaded, node.op, node.value))


SOURCES = {
    "2mm": Source(
        """
def kernel_2mm(alpha, beta, tmp: (NI, NJ), A: (NI, NK), B: (NK, NJ), C: (NJ, NL), D: (NI, NL)):
    "tmp := alpha A B"
    for i in range(NI):
        for j in range(NJ):
            tmp[i, j] = 0.0
            for k in range(NK):
                tmp[i, j] += alpha * A[i, k] * B[k, j]
    "D := tmp C + beta D"
    for i in range(NI):
        for j in range(NL):
            D[i, j] *= beta
            for k in range(NJ):
                D[i, j] += tmp[i, k] * C[k, j]
""",
        {"NI": 800, "NJ": 900, "NK": 1100, "NL": 1200},
    ),
    "3mm": Source(
        """
def kernel_3mm(
    E: (NI, NJ), A: (NI, NK), B: (NK, NJ), F: (NJ, NL), C: (NJ, NM), D: (NM, NL), G: (NI, NL)
):
    "E := A B"
    for i in range(NI):
        for j in range(NJ):
            E[i, j] = 0.0
            for k in range(NK):
                E[i, j] += A[i, k] * B[k, j]
    "F := C D"
    for i in range(NJ):
        for j in range(NL):
            F[i, j] = 0.0
            for k in range(NM):
                F[i, j] += C[i, k] * D[k, j]
    "G := E F"
    for i in range(NI):
        for j in range(NL):
            G[i, j] = 0.0
            for k in range(NJ):
                G[i, j] += E[i, k] * F[k, j]
""",
        {"NI": 800, "NJ": 900, "NK": 1000, "NL": 1100, "NM": 1200},
    ),
    "atax": Source(
        """
def kernel_atax(A: (M, N), x: (N,), y: (N,), tmp: (M,)):
    "y := A' (A x), one row of A at a time"
    for i in range(N):
        y[i] = 0.0
    for i in range(M):
        tmp[i] = 0.0
        for j in range(N):
            tmp[i] = tmp[i] + A[i, j] * x[j]
        for j in range(N):
            y[j] = y[j] + A[i, j] * tmp[i]
""",
        {"M": 1900, "N": 2100},
    ),
    "bicg": Source(
        """
def kernel_bicg(A: (N, M), s: (M,), q: (N,), p: (M,), r: (N,)):
    "s := A' r and q := A p in one pass over A"
    for i in range(M):
        s[i] = 0.0
    for i in range(N):
        q[i] = 0.0
        for j in range(M):
            s[j] = s[j] + r[i] * A[i, j]
            q[i] = q[i] + A[i, j] * p[j]
""",
        {"M": 1900, "N": 2100},
    ),
    "correlation": Source(
        """
def kernel_correlation(float_n, data: (N, M), corr: (M, M), mean: (M,), stddev: (M,)):
    "column means"
    for j in range(M):
        mean[j] = 0.0
        for i in range(N):
            mean[j] += data[i, j]
        mean[j] /= float_n
    "column deviations; nearly constant columns count as deviation 1"
    for j in range(M):
        stddev[j] = 0.0
        for i in range(N):
            stddev[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
        stddev[j] /= float_n
        stddev[j] = sqrt(stddev[j])
        stddev[j] = 1.0 if stddev[j] <= 0.1 else stddev[j]
    "centre and scale the columns"
    for i in range(N):
        for j in range(M):
            data[i, j] -= mean[j]
            data[i, j] /= sqrt(float_n) * stddev[j]
    "upper triangle of data' data, mirrored; ones on the diagonal"
    for i in range(M - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, M):
            corr[i, j] = 0.0
            for k in range(N):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    corr[M - 1, M - 1] = 1.0
""",
        {"M": 1200, "N": 1400},
    ),
    "covariance": Source(
        """
def kernel_covariance(float_n, data: (N, M), cov: (M, M), mean: (M,)):
    "column means"
    for j in range(M):
        mean[j] = 0.0
        for i in range(N):
            mean[j] += data[i, j]
        mean[j] /= float_n
    "centre the columns"
    for i in range(N):
        for j in range(M):
            data[i, j] -= mean[j]
    "upper triangle of data' data / (n - 1), mirrored"
    for i in range(M):
        for j in range(i, M):
            cov[i, j] = 0.0
            for k in range(N):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= float_n - 1.0
            cov[j, i] = cov[i, j]
""",
        {"M": 1200, "N": 1400},
    ),
    "doitgen": Source(
        """
def kernel_doitgen(A: (NR, NQ, NP), C4: (NP, NP), sum: (NP,)):
    "A[r, q, :] := A[r, q, :] C4, through the buffer sum"
    for r in range(NR):
        for q in range(NQ):
            for p in range(NP):
                sum[p] = 0.0
                for s in range(NP):
                    sum[p] += A[r, q, s] * C4[s, p]
            for p in range(NP):
                A[r, q, p] = sum[p]
""",
        {"NR": 150, "NQ": 140, "NP": 160},
    ),
    "gemm": Source(
        """
def kernel_gemm(alpha, beta, C: (NI, NJ), A: (NI, NK), B: (NK, NJ)):
    "C := alpha A B + beta C, row by row"
    for i in range(NI):
        for j in range(NJ):
            C[i, j] *= beta
        for k in range(NK):
            for j in range(NJ):
                C[i, j] += alpha * A[i, k] * B[k, j]
""",
        {"NI": 1000, "NJ": 1100, "NK": 1200},
    ),
    "gemver": Source(
        """
def kernel_gemver(
    alpha, beta, A: (N, N), u1: (N,), v1: (N,), u2: (N,), v2: (N,), w: (N,), x: (N,), y: (N,), z: (N,)
):
    "A := A + u1 v1' + u2 v2'"
    for i in range(N):
        for j in range(N):
            A[i, j] = A[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    "x := x + beta A' y + z"
    for i in range(N):
        for j in range(N):
            x[i] = x[i] + beta * A[j, i] * y[j]
    for i in range(N):
        x[i] = x[i] + z[i]
    "w := w + alpha A x"
    for i in range(N):
        for j in range(N):
            w[i] = w[i] + alpha * A[i, j] * x[j]
""",
        {"N": 2000},
    ),
    "gesummv": Source(
        """
def kernel_gesummv(alpha, beta, A: (N, N), B: (N, N), tmp: (N,), x: (N,), y: (N,)):
    "y := alpha A x + beta B x, with tmp = A x"
    for i in range(N):
        tmp[i] = 0.0
        y[i] = 0.0
        for j in range(N):
            tmp[i] = A[i, j] * x[j] + tmp[i]
            y[i] = B[i, j] * x[j] + y[i]
        y[i] = alpha * tmp[i] + beta * y[i]
""",
        {"N": 1300},
    ),
    "mvt": Source(
        """
def kernel_mvt(x1: (N,), x2: (N,), y_1: (N,), y_2: (N,), A: (N, N)):
    "x1 := x1 + A y_1"
    for i in range(N):
        for j in range(N):
            x1[i] = x1[i] + A[i, j] * y_1[j]
    "x2 := x2 + A' y_2"
    for i in range(N):
        for j in range(N):
            x2[i] = x2[i] + A[j, i] * y_2[j]
""",
        {"N": 2000},
    ),
    "symm": Source(
        """
def kernel_symm(alpha, beta, C: (M, N), A: (M, M), B: (M, N)):
    "C := alpha S B + beta C, where S is symmetric and A holds its lower triangle"
    for i in range(M):
        for j in range(N):
            temp2 = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                temp2 += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * temp2
""",
        {"M": 1000, "N": 1200},
    ),
    "syr2k": Source(
        """
def kernel_syr2k(alpha, beta, C: (N, N), A: (N, M), B: (N, M)):
    "lower triangle of C := alpha A B' + alpha B A' + beta C"
    for i in range(N):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(M):
            for j in range(i + 1):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]
""",
        {"M": 1000, "N": 1200},
    ),
    "syrk": Source(
        """
def kernel_syrk(alpha, beta, C: (N, N), A: (N, M)):
    "lower triangle of C := alpha A A' + beta C"
    for i in range(N):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(M):
            for j in range(i + 1):
                C[i, j] += alpha * A[i, k] * A[j, k]
""",
        {"M": 1000, "N": 1200},
    ),
    "trmm": Source(
        """
def kernel_trmm(alpha, A: (M, M), B: (M, N)):
    "B := alpha L' B, where L is unit lower triangular and A holds what lies under its diagonal"
    for i in range(M):
        for j in range(N):
            for k in range(i + 1, M):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] = alpha * B[i, j]
""",
        {"M": 1000, "N": 1200},
    ),
}
