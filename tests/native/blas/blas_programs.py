"""Functions that one call of BLAS computes, as text on memory, and what they compute, by NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.native.contraction.contractions import Case, generic, memref, multiply_add
from tests.native.contraction.fused_contractions import below

PARTS = {"sge": np.tril, "sle": np.triu, "sgt": lambda x: np.tril(x, -1), "slt": lambda x: np.triu(x, 1)}
"""The part of a matrix where i - j compares so with 0."""

_COPY = "    linalg.yield %a : {0}"
_ADD = "    %s = arith.addf %a, %b : {0}\n    linalg.yield %s : {0}"


def _times(scalar: str, element: str) -> str:
    return f"    %p = arith.mulf %{scalar}, %a : {element}\n    linalg.yield %p : {element}"


def _function(name: str, kinds: Sequence[str], scalars: Sequence[float], element: str, body: str) -> str:
    """A function of x, y, ... with %alpha and %beta in it."""
    arguments = ", ".join(f"%{letter}: {kind}" for letter, kind in zip("xyz", kinds, strict=False))
    zero = f"  %zero0 = arith.constant 0.0 : {element}\n"
    head = [f"  %{n} = arith.constant {v} : {element}\n" for n, v in zip(("alpha", "beta"), scalars, strict=True)]
    return f"func.func @{name}({arguments}) {{\n{zero}{''.join(head)}{body}  return\n}}\n"


def rank_k(predicate: str, turned: bool, second: bool, element: str) -> Case:
    """syrk or syr2k: a part of alpha * (A * A^T, or A * B^T + B * A^T) + beta * C; A may be stored by columns."""
    n, k, name = 37, 21, f"{'syr2k' if second else 'syrk'}_{predicate}_{'t' if turned else 'n'}_{element}"
    shape = (k, n) if turned else (n, k)
    a, c = memref(shape, element), memref((n, n), element)
    maps = ["ki", "kj", "ij"] if turned else ["ik", "jk", "ij"]
    body = f"  %w = memref.alloc() : {a}\n  %u = memref.alloc() : {a}\n  %t = memref.alloc() : {c}\n"
    body += generic(["ij", "ij"], "pp", [a, a], ["x", "w"], _times("alpha", element))
    body += generic(["ij", "ij"], "pp", [a, a], ["y", "u"], _times("alpha", element))
    body += generic(["ij", "ij"], "pp", [c, c], ["z", "t"], _times("beta", element))
    for names in [["w", "y", "t"], ["u", "x", "t"]] if second else [["w", "x", "t"]]:
        body += generic(maps, "ppr", [a, a, c], names, multiply_add(element))
    body += generic(["ij", "ij", "ij"], "pp", [c, c, c], ["t", "z", "z"], below(predicate, "%a", "%b", element))

    def expected(x: Any, y: Any, z: Any) -> Sequence[Any]:
        one, two = (x.T, y.T) if turned else (x, y)
        new = 0.5 * z + 1.5 * (one @ two.T + two @ one.T if second else one @ one.T)
        part = PARTS[predicate]
        return x, y, z - part(z) + part(new)

    text = _function(name, [a, a, c], (1.5, 0.5), element, body)
    return Case(name, text, (shape, shape, (n, n)), expected, element)


def gram(diagonal: bool, element: str) -> Case:
    """A^T * A / 4, both halves; with `diagonal`, 1 there."""
    n, k, name = 29, 40, f"gram_{'one' if diagonal else 'all'}_{element}"
    a, c = memref((k, n), element), memref((n, n), element)
    body = f"  %t = memref.alloc() : {c}\n  linalg.fill ins(%zero0 : {element}) outs(%t : {c})\n"
    body += generic(["ki", "kj", "ij"], "ppr", [a, a, c], ["x", "x", "t"], multiply_add(element))
    one = f"    %one = arith.constant 1.0 : {element}\n" + below("eq", "%one", "%a", element)
    body += generic(["ij", "ij"], "pp", [c, c], ["t", "y"], one if diagonal else _times("alpha", element))

    def expected(x: Any, _: Any) -> Sequence[Any]:
        return x, np.where(np.eye(n, dtype=bool), 1, x.T @ x) if diagonal else 0.25 * (x.T @ x)

    return Case(name, _function(name, [a, c], (0.25, 1.0), element, body), ((k, n), (n, n)), expected, element)


def symmetric(right: bool, predicate: str, element: str) -> Case:
    """symm: beta * C + alpha * (A * B or B * A), A read on one side of the diagonal."""
    m, n, name = 23, 31, f"symm_{'right' if right else 'left'}_{predicate}_{element}"
    side = n if right else m
    a, b = memref((side, side), element), memref((m, n), element)
    body = f"  %m = memref.alloc() : {a}\n  %w = memref.alloc() : {a}\n"
    body += generic(["ij", "ji", "ij"], "pp", [a, a, a], ["x", "x", "m"], below(predicate, "%a", "%b", element))
    body += generic(["ij", "ij"], "pp", [a, a], ["m", "w"], _times("alpha", element))
    body += generic(["ij", "ij"], "pp", [b, b], ["z", "z"], _times("beta", element))
    names, kinds = (["y", "w", "z"], [b, a, b]) if right else (["w", "y", "z"], [a, b, b])
    body += generic(["ik", "kj", "ij"], "ppr", kinds, names, multiply_add(element))

    def expected(x: Any, y: Any, z: Any) -> Sequence[Any]:
        part = np.tril(x) if predicate in ("sge", "sgt") else np.triu(x)
        whole = part + part.T - np.diag(np.diag(x))
        return x, y, -0.5 * z + 2.0 * (y @ whole if right else whole @ y)

    text = _function(name, [a, b, b], (2.0, -0.5), element, body)
    return Case(name, text, ((side, side), (m, n), (m, n)), expected, element)


def triangular(right: bool, predicate: str, turned: bool, place: str, element: str) -> Case:
    """trmm: alpha * (T * B or B * T), T a part of A or of its transpose; without its diagonal, B is added.

    `place` is "in" (B is overwritten) or "out".
    """
    m, n, name = 33, 27, f"trmm_{'right' if right else 'left'}_{predicate}_{'t' if turned else 'n'}_{place}_{element}"
    unit, side = predicate in ("sgt", "slt"), n if right else m
    a, b = memref((side, side), element), memref((m, n), element)
    out = "y" if place == "in" else "z"
    body = f"  %m = memref.alloc() : {a}\n  %t = memref.alloc() : {b}\n"
    body += generic(["ij", "ij"], "pp", [a, a], ["x", "m"], below(predicate, "%a", "%zero0", element))
    start = _COPY.format(element) if unit else f"    linalg.yield %zero0 : {element}"
    body += generic(["ij", "ij"], "pp", [b, b], ["y", "t"], start)
    maps, names, kinds = (["ik", "kj", "ij"], ["m", "y", "t"], [a, b, b])
    if right:
        maps, names, kinds = ["ik", "jk" if turned else "kj", "ij"], ["y", "m", "t"], [b, a, b]
    elif turned:
        maps = ["ki", "kj", "ij"]
    body += generic(maps, "ppr", kinds, names, multiply_add(element))
    body += generic(["ij", "ij"], "pp", [b, b], ["t", out], _times("alpha", element))

    def expected(x: Any, y: Any, z: Any) -> Sequence[Any]:
        part = PARTS[predicate](x)
        special = (part.T if turned else part) + (np.eye(side) if unit else 0)
        new = 1.5 * (y @ special if right else special @ y)
        return (x, new, z) if place == "in" else (x, y, new)

    text = _function(name, [a, b, b], (1.5, 1.0), element, body)
    return Case(name, text, ((side, side), (m, n), (m, n)), expected, element)


def programs(element: str) -> dict[str, list[Case]]:
    """By routine."""
    both = (False, True)
    triangles = product(both, ("sge", "sle", "sgt", "slt"), both, ("in", "out"))
    return {
        "syrk": [*(rank_k(p, t, False, element) for p, t in product(PARTS, both)), *(gram(d, element) for d in both)],
        "syr2k": [rank_k(p, t, True, element) for p, t in product(PARTS, both)],
        "symm": [symmetric(r, p, element) for r, p in product(both, ("sge", "sgt", "sle", "slt"))],
        "trmm": [triangular(r, p, t, place, element) for r, p, t, place in triangles],
    }
