"""Inputs of the kernels: the values that PolyBench/C 4.2.1 gives to the arguments, and random ones that make sense.

One function per kernel gives, from its sizes, the arguments that are not zero. Values are doubles; where PolyBench
divides in single precision they are rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from raising.polybench.suite.values import Array, by_kernel

Sizes = Mapping[str, int]


def _grid(*extents: int) -> list[Any]:
    """Subscripts that broadcast to an array of these extents."""
    return list(np.ogrid[tuple(slice(extent) for extent in extents)])


def _kernel_2mm(s: Sizes) -> dict[str, Any]:
    i, j = _grid(max(s.values()), max(s.values()))
    ni, nj, nk, nl = s["NI"], s["NJ"], s["NK"], s["NL"]
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "A": ((i * j + 1) % ni / ni)[:ni, :nk],
        "B": (i * (j + 1) % nj / nj)[:nk, :nj],
        "C": ((i * (j + 3) + 1) % nl / nl)[:nj, :nl],
        "D": (i * (j + 2) % nk / nk)[:ni, :nl],
    }


def _kernel_3mm(s: Sizes) -> dict[str, Any]:
    i, j = _grid(max(s.values()), max(s.values()))
    ni, nj, nk, nl, nm = s["NI"], s["NJ"], s["NK"], s["NL"], s["NM"]
    return {
        "A": ((i * j + 1) % ni / (5 * ni))[:ni, :nk],
        "B": ((i * (j + 1) + 2) % nj / (5 * nj))[:nk, :nj],
        "C": (i * (j + 3) % nl / (5 * nl))[:nj, :nm],
        "D": ((i * (j + 2) + 2) % nk / (5 * nk))[:nm, :nl],
    }


def _kernel_adi(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["N"])
    return {"u": (i + s["N"] - j) / s["N"]}


def _kernel_atax(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["M"], s["N"])
    return {"x": 1 + j[0] / s["N"], "A": (i + j) % s["N"] / (5 * s["M"])}


def _kernel_bicg(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["M"])
    n, m = s["N"], s["M"]
    return {"p": j[0] % m / m, "r": i[:, 0] % n / n, "A": i * (j + 1) % n / n}


def _definite(s: Sizes) -> dict[str, Any]:
    """B B' for a lower triangular B with ones on the diagonal."""
    i, j = _grid(s["N"], s["N"])
    below = np.where(j < i, 1 - j / s["N"], 0.0)
    factor = below + np.eye(s["N"])
    return {"A": factor @ factor.T}


def _kernel_correlation(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["M"])
    return {"float_n": s["N"], "data": i * j / s["M"] + i}


def _kernel_covariance(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["M"])
    return {"float_n": s["N"], "data": i * j / s["M"]}


def _kernel_deriche(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["W"], s["H"])
    return {"alpha": 0.25, "imgIn": (313 * i + 991 * j) % 65536 / 65535}


def _kernel_doitgen(s: Sizes) -> dict[str, Any]:
    i, j, k = _grid(s["NR"], s["NQ"], s["NP"])
    p, q = _grid(s["NP"], s["NP"])
    return {"A": (i * j + k) % s["NP"] / s["NP"], "C4": p * q % s["NP"] / s["NP"]}


def _kernel_durbin(s: Sizes) -> dict[str, Any]:
    return {"r": s["N"] + 1.0 - np.arange(s["N"])}


def _kernel_fdtd_2d(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["NX"], s["NY"])
    nx, ny = s["NX"], s["NY"]
    return {
        "_fict_": np.arange(s["TMAX"]),
        "ex": i * (j + 1) / nx,
        "ey": i * (j + 2) / ny,
        "hz": i * (j + 3) / nx,
    }


def _kernel_floyd_warshall(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["N"])
    apart = ((i + j) % 13 == 0) | ((i + j) % 7 == 0) | ((i + j) % 11 == 0)
    return {"path": np.where(apart, 999, i * j % 7 + 1)}


def _kernel_gemm(s: Sizes) -> dict[str, Any]:
    i, j = _grid(max(s.values()), max(s.values()))
    ni, nj, nk = s["NI"], s["NJ"], s["NK"]
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "C": ((i * j + 1) % ni / ni)[:ni, :nj],
        "A": (i * (j + 1) % nk / nk)[:ni, :nk],
        "B": (i * (j + 2) % nj / nj)[:nk, :nj],
    }


def _kernel_gemver(s: Sizes) -> dict[str, Any]:
    n = s["N"]
    i, j = _grid(n, n)
    share = (np.arange(n) + 1) / n
    vectors = {"u2": share / 2, "v1": share / 4, "v2": share / 6, "y": share / 8, "z": share / 9}
    return {"alpha": 1.5, "beta": 1.2, "u1": np.arange(n), **vectors, "A": i * j % n / n}


def _kernel_gesummv(s: Sizes) -> dict[str, Any]:
    n = s["N"]
    i, j = _grid(n, n)
    return {"alpha": 1.5, "beta": 1.2, "x": j[0] % n / n, "A": (i * j + 1) % n / n, "B": (i * j + 2) % n / n}


def _kernel_gramschmidt(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["M"], s["N"])
    return {"A": i * j % s["M"] / s["M"] * 100 + 10}


def _kernel_heat_3d(s: Sizes) -> dict[str, Any]:
    i, j, k = _grid(s["N"], s["N"], s["N"])
    both = (i + j + (s["N"] - k)) * 10 / s["N"]
    return {"A": both, "B": both}


def _kernel_jacobi_1d(s: Sizes) -> dict[str, Any]:
    i = np.arange(s["N"])
    return {"A": (i + 2) / s["N"], "B": (i + 3) / s["N"]}


def _kernel_jacobi_2d(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["N"])
    return {"A": (i * (j + 2) + 2) / s["N"], "B": (i * (j + 3) + 3) / s["N"]}


def _kernel_ludcmp(s: Sizes) -> dict[str, Any]:
    return {**_definite(s), "b": (np.arange(s["N"]) + 1) / s["N"] / 2 + 4}


def _kernel_mvt(s: Sizes) -> dict[str, Any]:
    n = s["N"]
    i, j = _grid(n, n)
    shifted = {name: (j[0] + shift) % n / n for name, shift in (("x1", 0), ("x2", 1), ("y_1", 3), ("y_2", 4))}
    return {**shifted, "A": i * j % n / n}


def _kernel_nussinov(s: Sizes) -> dict[str, Any]:
    return {"seq": (np.arange(s["N"]) + 1) % 4}


def _kernel_seidel_2d(s: Sizes) -> dict[str, Any]:
    return {"A": _kernel_jacobi_2d(s)["A"]}


def _kernel_symm(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["M"], s["N"])
    p, q = _grid(s["M"], s["M"])
    lower: Array = np.where(q <= p, (p + q) % 100 / s["M"], -999)
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "C": (i + j) % 100 / s["M"],
        "B": (s["N"] + i - j) % 100 / s["M"],
        "A": lower,
    }


def _kernel_syr2k(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["M"])
    p, q = _grid(s["N"], s["N"])
    n, m = s["N"], s["M"]
    return {
        "alpha": 1.5,
        "beta": 1.2,
        "A": (i * j + 1) % n / n,
        "B": (i * j + 2) % m / m,
        "C": (p * q + 3) % n / m,
    }


def _kernel_syrk(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["M"])
    p, q = _grid(s["N"], s["N"])
    return {"alpha": 1.5, "beta": 1.2, "A": (i * j + 1) % s["N"] / s["N"], "C": (p * q + 2) % s["M"] / s["M"]}


def _kernel_trisolv(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["N"], s["N"])
    return {"x": -999, "b": j[0], "L": np.where(j <= i, (i + s["N"] - j + 1) * 2 / s["N"], 0)}


def _kernel_trmm(s: Sizes) -> dict[str, Any]:
    i, j = _grid(s["M"], s["N"])
    p, q = _grid(s["M"], s["M"])
    below: Array = np.where(q < p, (p + q) % s["M"] / s["M"], 0) + np.eye(s["M"])
    return {"alpha": 1.5, "A": below, "B": (s["N"] + i - j) % s["N"] / s["N"]}


_kernel_cholesky = _kernel_lu = _definite
INITIAL: Mapping[str, Callable[[Sizes], dict[str, Any]]] = by_kernel(globals())
"""The initial values of each kernel; a value broadcasts to the argument's extents."""


def random_value(random: np.random.Generator, kind: str, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Array:
    """Values of a kind of `kernels.toml`, as doubles; `plain` ones are in 1 .. 9, so that integers are too."""
    if kind == "definite":
        factor = _triangular(random, shape[0])
        return factor @ factor.T
    if kind == "triangular":
        return _triangular(random, shape[0]) + np.triu(random.uniform(1, 9, shape), 1)
    if kind == "toeplitz":  # as a diagonal of 1 outweighs the rest of its row
        return random.uniform(-0.5, 0.5, shape) / shape[0]
    if kind == "rows":
        return np.asarray(float(sizes["N"]))
    if kind in ("bases", "penalties"):
        return random.integers(*((0, 4) if kind == "bases" else (-3, 1)), shape).astype(float)
    return random.uniform(0.2, 0.8, shape) if kind == "fraction" else random.uniform(1, 9, shape)


def _triangular(random: np.random.Generator, size: int) -> Array:
    """A lower triangular matrix with a diagonal in 1 .. 2 and rows below it that sum to less than one half."""
    below: Array = np.tril(random.uniform(-0.5, 0.5, (size, size)), -1) / size
    return below + np.diag(random.uniform(1, 2, size))
