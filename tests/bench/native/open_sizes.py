"""Open sizes beside known ones: `python -m tests.bench.native.open_sizes` writes `results/open-sizes.json`.

Functions as users write them in C, through `raise` and our own back end on one thread, and clang -O3 on the same text.
They are called in turns in one process; what is compared is the processor time of the fastest call.
"""

from __future__ import annotations

import argparse
import ctypes
import re
import subprocess
import tempfile
import time
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

FUNCTIONS = {
    "gemm": (
        {"m": 800, "n": 840, "k": 820},
        "const float *restrict A, const float *restrict B, float *restrict C",
        "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int p = 0; p < k; p++) s += A[i*k+p] * B[p*n+j]; C[i*n+j] = s; }",
    ),
    "syrk": (
        {"n": 1000, "m": 900},
        "float C[n][n], float A[n][m]",
        "for (int i = 0; i < n; i++) for (int k = 0; k < m; k++)"
        " for (int j = 0; j <= i; j++) C[i][j] += A[i][k] * A[j][k];",
    ),
    "trmm": (
        {"m": 800, "n": 900},
        "float A[m][m], float B[m][n]",
        "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)"
        " for (int k = i + 1; k < m; k++) B[i][j] += A[k][i] * B[k][j];",
    ),
    "symm": (
        {"m": 700, "n": 800},
        "float C[m][n], float A[m][m], float B[m][n]",
        "for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { float t = 0; for (int k = 0; k < i; k++)"
        " { C[k][j] += B[i][j] * A[i][k]; t += B[k][j] * A[i][k]; } C[i][j] += B[i][j] * A[i][i] + t; }",
    ),
    "gemv": (
        {"m": 1900, "n": 2100},
        "const float *restrict A, const float *restrict x, float *restrict y",
        "for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += A[i*n+j] * x[j]; y[i] = s; }",
    ),
    "bicg": (
        {"m": 1900, "n": 2100},
        "float A[n][m], float s[m], float q[n], float p[m], float r[n]",
        "for (int i = 0; i < m; i++) s[i] = 0; for (int i = 0; i < n; i++) { q[i] = 0;"
        " for (int j = 0; j < m; j++) { s[j] += r[i] * A[i][j]; q[i] += A[i][j] * p[j]; } }",
    ),
    "stencil": (
        {"h": 1000, "w": 1200},
        "const float *restrict in, float *restrict out",
        "for (int i = 1; i < h-1; i++) for (int j = 1; j < w-1; j++) out[i*w+j] = 0.2f * (in[i*w+j] + in[i*w+j-1]"
        " + in[i*w+j+1] + in[(i-1)*w+j] + in[(i+1)*w+j]);",
    ),
    "convolution": (
        {"h": 600, "w": 700, "kh": 3, "kw": 3},
        "float in[h][w], float k[kh][kw], float out[h-kh+1][w-kw+1]",
        "for (int y = 0; y < h-kh+1; y++) for (int x = 0; x < w-kw+1; x++) { float s = 0;"
        " for (int i = 0; i < kh; i++) for (int j = 0; j < kw; j++) s += in[y+i][x+j] * k[i][j]; out[y][x] = s; }",
    ),
    "softmax": (
        {"n": 800, "m": 1000},
        "float x[n][m], float y[n][m]",
        "for (int i = 0; i < n; i++) { float t = x[i][0]; for (int j = 1; j < m; j++) t = x[i][j] > t ? x[i][j] : t;"
        " float s = 0; for (int j = 0; j < m; j++) { y[i][j] = expf(x[i][j] - t); s += y[i][j]; }"
        " for (int j = 0; j < m; j++) y[i][j] /= s; }",
    ),
    "covariance": (
        {"n": 900, "m": 800},
        "float data[n][m], float cov[m][m], float mean[m]",
        "for (int j = 0; j < m; j++) { mean[j] = 0; for (int i = 0; i < n; i++) mean[j] += data[i][j]; mean[j] /= n; }"
        " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) data[i][j] -= mean[j];"
        " for (int i = 0; i < m; i++) for (int j = i; j < m; j++) { cov[i][j] = 0; for (int k = 0; k < n; k++)"
        " cov[i][j] += data[k][i] * data[k][j]; cov[i][j] /= (n - 1.0f); cov[j][i] = cov[i][j]; }",
    ),
    "transpose": (
        {"n": 1500, "m": 1700},
        "const float *restrict a, float *restrict b",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j*n+i] = a[i*m+j];",
    ),
    "batched": (
        {"b": 16, "m": 128, "n": 130, "k": 120},
        "float C[b][m][n], float A[b][m][k], float B[b][k][n]",
        "for (int t = 0; t < b; t++) for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { C[t][i][j] = 0;"
        " for (int p = 0; p < k; p++) C[t][i][j] += A[t][i][p] * B[t][p][j]; }",
    ),
}
"""Sizes, arrays and body of each function; all arrays are of floats."""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each function is sampled")
    options = parser.parse_args()
    from tests.bench.record import write

    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(name, Path(folder), options.seconds) for name in FUNCTIONS]
    summary = {"open over known": _geomean([r["open"] / r["known"] for r in rows]),
               "clang over open": _geomean([r["clang"] / r["open"] for r in rows])}  # fmt: skip
    print(write("open-sizes", "python -m tests.bench.native.open_sizes", rows, summary), summary)


def _row(name: str, folder: Path, seconds: float) -> dict[str, Any]:
    """Seconds per call."""
    sizes, arrays, body = FUNCTIONS[name]
    open_ = f"#include <math.h>\nvoid f({', '.join(f'int {n}' for n in sizes)}, {arrays}) {{ {body} }}\n"
    known = "#include <math.h>\n" + "".join(f"#define {n} {v}\n" for n, v in sizes.items())
    libraries = {"clang": _clang(open_, folder / f"{name}.so"), "open": _ours(open_, folder / f"{name}.open.so"),
                 "known": _ours(f"{known}void f({arrays}) {{ {body} }}\n", folder / f"{name}.known.so")}  # fmt: skip
    row: dict[str, Any] = {"function": name, **dict.fromkeys(libraries, float("inf"))}
    numbers = {each: [] if each == "known" else list(sizes.values()) for each in libraries}
    values = {each: [np.array(value) for value in _values(sizes, arrays)] for each in libraries}
    calls = {each: ctypes.CDLL(str(library)).f for each, library in libraries.items()}
    for each, call in calls.items():
        _once(call, numbers[each], values[each])
    for each in ("open", "known"):
        for one, other in zip(values[each], values["clang"], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-2, atol=1e-3)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for each, call in calls.items():
            row[each] = min(row[each], _once(call, numbers[each], values[each]))
    print(row, flush=True)
    return row


def _clang(source: str, path: Path) -> Path:
    path.with_suffix(".c").write_text(source)
    command = ["clang-19", "-O3", "-shared", "-fPIC", str(path.with_suffix(".c")), "-o", str(path), "-lm"]
    subprocess.run(command, check=True)
    return path


def _ours(source: str, path: Path) -> Path:
    """A library of the raised function."""
    path.with_suffix(".c").write_text(source)
    raised = subprocess.run(["raise", str(path.with_suffix(".c"))], check=True, capture_output=True)
    subprocess.run(["raise-compile", "-", "-o", str(path)], input=raised.stdout, check=True)
    return path


def _values(sizes: dict[str, int], arrays: str) -> list[Any]:
    """Random arrays; where C does not say how long one is, long enough."""
    random, found = np.random.default_rng(0), []
    for parameter in arrays.split(","):
        extents = [_extent(text, sizes) for text in re.findall(r"\[([^\]]*)\]", parameter)]
        found.append(random.random(np.prod(extents) if extents else max(sizes.values()) ** 2).astype(np.float32))
    return found


def _extent(text: str, sizes: dict[str, int]) -> int:
    from raising.affine.ir.c_parameters import evaluate

    return evaluate(text, sizes, int, lambda operation, a, b: a + b if operation == "add" else a - b)


def _once(call: Any, numbers: list[int], arrays: list[Any]) -> float:
    start = time.process_time()
    call(*numbers, *(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))
    return time.process_time() - start


def _geomean(ratios: list[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


if __name__ == "__main__":
    main()
