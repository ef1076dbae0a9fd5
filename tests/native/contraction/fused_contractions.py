"""Contractions with code around them that belongs to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.native.contraction.contractions import Case, function, generic, memref, multiply_add

BELOW = """    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %zero = arith.constant 0 : index
    %c0 = arith.cmpi {predicate}, %d, %zero : index
    %r = arith.select %c0, {then}, {other} : {element}
    linalg.yield %r : {element}"""
_PREDICATES = {"sge": "greater_equal", "sgt": "greater", "sle": "less_equal", "slt": "less", "ne": "not_equal"}
PRODUCT = ["ik", "kj", "ij"]


def below(predicate: str, then: str, other: str, element: str = "f32") -> str:
    """A body that chooses by i - j."""
    return BELOW.format(predicate=predicate, then=then, other=other, element=element)


def scaled(factor: float, element: str = "f32") -> str:
    """A body that multiplies its first operand."""
    return f"""    %f = arith.constant {factor} : {element}
    %p = arith.mulf %a, %f : {element}
    linalg.yield %p : {element}"""


def zeroed(name: str, kind: str) -> str:
    """Fill an array with 0."""
    return f"  %o{name} = arith.constant 0.0 : f32\n  linalg.fill ins(%o{name} : f32) outs(%{name} : {kind})\n"


def local(name: str, kind: str) -> str:
    """A temporary."""
    return f"  %{name} = memref.alloc() : {kind}\n"


def _alpha_beta_bias() -> Case:
    a, b, c, bias = (memref(shape, "f32") for shape in ((20, 30), (30, 70), (20, 70), (70,)))
    relu = """    %sum = arith.addf %a, %b : f32
    %zr = arith.constant 0.0 : f32
    %mx = arith.maximumf %sum, %zr : f32
    linalg.yield %mx : f32"""
    body = (
        local("t", a)
        + generic(["ij", "ij"], "pp", [a, a], ["x", "t"], scaled(1.5))
        + generic(["ij", "ij"], "pp", [c, c], ["z", "z"], scaled(0.5))
        + generic(PRODUCT, "ppr", [a, b, c], ["t", "y", "z"], multiply_add("f32"))
        + generic(["ij", "j", "ij"], "pp", [c, bias, c], ["z", "u", "z"], relu)
    )

    def expected(x: Any, y: Any, z: Any, u: Any) -> Sequence[Any]:
        return x, y, np.maximum(0.5 * z + 1.5 * x @ y + u, 0), u

    return Case("bias", function("bias", [a, b, c, bias], body), ((20, 30), (30, 70), (20, 70), (70,)), expected)


def _sum_times_factor() -> Case:
    """2 * (U + A * B) + C."""
    a, b, c = (memref(shape, "f32") for shape in ((20, 30), (30, 40), (20, 40)))
    add = """    %f = arith.constant 2.0 : f32
    %p = arith.mulf %a, %f : f32
    %s = arith.addf %p, %b : f32
    linalg.yield %s : f32"""
    body = (
        local("t", c)
        + generic(["ij", "ij"], "pp", [c, c], ["u", "t"], scaled(0.5))
        + generic(PRODUCT, "ppr", [a, b, c], ["x", "y", "t"], multiply_add("f32"))
        + generic(["ij", "ij", "ij"], "pp", [c, c, c], ["t", "z", "z"], add)
    )

    def expected(x: Any, y: Any, z: Any, u: Any) -> Sequence[Any]:
        return x, y, 2 * (0.5 * u + x @ y) + z, u

    return Case("factor", function("factor", [a, b, c, c], body), ((20, 30), (30, 40), (20, 40), (20, 40)), expected)


def _lower(name: str, predicate: str, k: int, second: bool) -> Case:
    """syrk, or syr2k: the lower or upper part of beta * C + A * A^T, or + A * B^T + B * A^T."""
    n = 70
    a, c = memref((n, k), "f32"), memref((n, n), "f32")
    maps = ["ik", "jk", "ij"]
    body = local("t", c) + generic(["ij", "ij"], "pp", [c, c], ["z", "t"], scaled(0.5))
    pairs = [["x", "y", "t"], ["y", "x", "t"]] if second else [["x", "x", "t"]]
    for names in pairs:
        body += generic(maps, "ppr", [a, a, c], names, multiply_add("f32"))
    body += generic(["ij", "ij", "ij"], "pp", [c, c, c], ["t", "z", "z"], below(predicate, "%a", "%b"))
    part = np.tril if predicate == "sge" else np.triu

    def expected(x: Any, y: Any, z: Any) -> Sequence[Any]:
        new = 0.5 * z + (x @ y.T + y @ x.T if second else x @ x.T)
        return x, y, z - part(z) + part(new)

    return Case(name, function(name, [a, a, c], body), ((n, k), (n, k), (n, n)), expected)


def _symmetric(name: str, m: int, diagonal: bool) -> Case:
    """A^T * A, both halves of it; with `diagonal`, 1 there."""
    a, c = memref((600, m), "f32"), memref((m, m), "f32")
    body = local("t", c) + zeroed("t", c)
    body += generic(["ki", "kj", "ij"], "ppr", [a, a, c], ["x", "x", "t"], multiply_add("f32"))
    one = "    %one = arith.constant 1.0 : f32\n" + below("eq", "%one", "%a")
    body += generic(["ij", "ij"], "pp", [c, c], ["t", "z"], one if diagonal else scaled(0.25))

    def expected(x: Any, _: Any, z: Any) -> Sequence[Any]:
        product = x.T @ x
        return x, _, np.where(np.eye(m, dtype=bool), 1, product) if diagonal else 0.25 * product

    return Case(name, function(name, [a, a, c], body), ((600, m), (600, m), (m, m)), expected)


def _part_of_symmetric(predicate: str, part: Callable[[Any, Any], Any]) -> Case:
    """A part of A^T * A, into an array that keeps its other elements."""
    m, name = 37, f"gram_{predicate}"
    a, c = memref((20, m), "f32"), memref((m, m), "f32")
    body = local("t", c) + zeroed("t", c)
    body += generic(["ki", "kj", "ij"], "ppr", [a, a, c], ["x", "x", "t"], multiply_add("f32"))
    body += generic(["ij", "ij", "ij"], "pp", [c, c, c], ["t", "y", "y"], below(predicate, "%a", "%b"))

    def expected(x: Any, y: Any) -> Sequence[Any]:
        return x, np.where(part(*np.indices((m, m))), x.T @ x, y)

    return Case(name, function(name, [a, c], body), ((20, m), (m, m)), expected)


def _symmetric_of_triangle() -> Case:
    """L * L^T, where L is the part of A below the diagonal."""
    m = 30
    a = memref((m, m), "f32")
    zero = "    %zero0 = arith.constant 0.0 : f32\n"
    body = local("l", a) + generic(["ij", "ij"], "pp", [a, a], ["x", "l"], zero + below("sge", "%a", "%zero0"))
    body += generic(["ij", "ij"], "pp", [a, a], ["y", "y"], zero + "    linalg.yield %zero0 : f32")
    body += generic(["ik", "jk", "ij"], "ppr", [a, a, a], ["l", "l", "y"], multiply_add("f32"))

    def expected(x: Any, _: Any) -> Sequence[Any]:
        return x, np.tril(x) @ np.tril(x).T

    return Case("lower_gram", function("lower_gram", [a, a], body), ((m, m), (m, m)), expected)


def _symmetric_and_more() -> Case:
    """C + A^T * A, where C is not symmetric."""
    m = 61
    a, c = memref((300, m), "f32"), memref((m, m), "f32")
    body = local("t", c) + zeroed("t", c)
    body += generic(["ki", "kj", "ij"], "ppr", [a, a, c], ["x", "x", "t"], multiply_add("f32"))
    total = "    %s = arith.addf %a, %b : f32\n    linalg.yield %s : f32"
    body += generic(["ij", "ij", "ij"], "pp", [c, c, c], ["t", "y", "z"], total)

    def expected(x: Any, y: Any, _: Any) -> Sequence[Any]:
        return x, y, x.T @ x + y

    return Case("and_more", function("and_more", [a, c, c], body), ((300, m), (m, m), (m, m)), expected)


def _triangular(name: str, predicate: str, turned: bool) -> Case:
    """trmm: B = 2 * (B + L * B), with the part of A on one side of the diagonal."""
    m, n = 600, 18
    a, b = memref((m, m), "f32"), memref((m, n), "f32")
    zero = "    %zero0 = arith.constant 0.0 : f32\n"
    body = (
        local("l", a)
        + generic(["ij", "ij"], "pp", [a, a], ["x", "l"], zero + below(predicate, "%a", "%zero0"))
        + local("t", b)
        + generic(["ij", "ij"], "pp", [b, b], ["y", "t"], "    linalg.yield %a : f32")
        + generic(["ki" if turned else "ik", "kj", "ij"], "ppr", [a, b, b], ["l", "y", "t"], multiply_add("f32"))
        + generic(["ij", "ij"], "pp", [b, b], ["t", "y"], scaled(2.0))
    )

    def expected(x: Any, y: Any) -> Sequence[Any]:
        part = np.tril(x) if predicate == "sge" else np.triu(x)
        return x, 2 * (y + (part.T if turned else part) @ y)

    return Case(name, function(name, [a, b], body), ((m, m), (m, n)), expected)


def _one_triangle() -> Case:
    """symm: only the lower part of A is read."""
    m, n = 40, 50
    a, b = memref((m, m), "f32"), memref((m, n), "f32")
    zero = "    %zero0 = arith.constant 0.0 : f32\n"
    add = "    %s = arith.addf %a, %b : f32\n    linalg.yield %s : f32"
    body = (
        local("l", a) + local("h", a) + local("t", b)
        + generic(["ij", "ij"], "pp", [a, a], ["x", "l"], zero + below("sge", "%a", "%zero0"))
        + generic(["ij", "ij"], "pp", [a, a], ["x", "h"], zero + below("sgt", "%a", "%zero0"))
        + zeroed("t", b)
        + generic(["ik", "kj", "ij"], "ppr", [a, b, b], ["l", "y", "t"], multiply_add("f32"))
        + generic(["ij", "ij"], "pp", [b, b], ["t", "t"], scaled(3.0))
        + generic(["ij", "ij", "ij"], "pp", [b, b, b], ["t", "z", "z"], add)
        + generic(["ki", "kj", "ij"], "ppr", [a, b, b], ["h", "y", "z"], multiply_add("f32"))
    )  # fmt: skip

    def expected(x: Any, y: Any, z: Any) -> Sequence[Any]:
        return x, y, z + 3 * np.tril(x) @ y + np.tril(x, -1).T @ y

    return Case("triangle", function("triangle", [a, b, b], body), ((m, m), (m, n), (m, n)), expected)


def _rows_in_place() -> Case:
    """doitgen: the rows of an array times a matrix, back into the array; one of them to another array, too."""
    a, b = memref((5, 14, 20), "f32"), memref((20, 20), "f32")
    row = "memref<20xf32, strided<[1], offset: 1380>>"
    maps = ["ijl", "lk", "ijk"]
    body = (
        local("t", a)
        + zeroed("t", a)
        + generic(maps, "pppr", [a, b, a], ["x", "y", "t"], multiply_add("f32"))
        + f"  %last = memref.subview %t[4, 13, 0] [1, 1, 20] [1, 1, 1] : {a} to {row}\n"
        + generic(["ijk", "ijk"], "ppp", [a, a], ["t", "x"], "    linalg.yield %a : f32")
        + f"  linalg.copy ins(%last : {row}) outs(%z : memref<20xf32>)\n"
    )

    def expected(x: Any, y: Any, z: Any) -> Sequence[Any]:
        return x @ y, y, (x @ y)[4, 13]

    shapes = ((5, 14, 20), (20, 20), (20,))
    return Case("place", function("place", [a, b, "memref<20xf32>"], body), shapes, expected)


FUSED = [
    _alpha_beta_bias(),
    _sum_times_factor(),
    _lower("syrk", "sge", 600, False),
    _lower("syrk_upper", "sle", 30, False),
    _lower("syr2k", "sge", 300, True),
    _symmetric("gram", 70, False),
    _symmetric("diagonal", 61, True),
    *(_part_of_symmetric(name, getattr(np, part)) for name, part in _PREDICATES.items()),
    _symmetric_of_triangle(),
    _symmetric_and_more(),
    _triangular("below", "sge", False),
    _triangular("below_turned", "sge", True),
    _triangular("above", "sle", False),
    _one_triangle(),
    _rows_in_place(),
]
