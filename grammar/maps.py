"""Reads affine maps of the bindings."""

from __future__ import annotations

from typing import Any

from mlir import ir

from grammar.meaning import Linear, Map


class NotStructured(Exception):
    """The lowered operation has no meaning as maps, iterators and a scalar body; the message says why."""


def linear_map(m: Any) -> Map:
    """A map of dimensions and of sums of multiples of dimensions."""
    found: list[int | Linear] = []
    for expr in m.results:
        terms = _terms(expr)
        if terms is None or len({d for d, _ in terms}) != len(terms):
            raise NotStructured(f"an indexing map is not linear: {m}")
        (dim, factor), *rest = terms
        found.append(dim if factor == 1 and not rest else tuple(sorted(terms)))
    if len(set(found)) != len(found):
        raise NotStructured(f"an indexing map reads a diagonal: {m}")
    return tuple(found)


def _terms(expr: Any) -> list[tuple[int, int]] | None:
    """A sum of multiples of dimensions as (dimension, factor) pairs; None for anything else."""
    if isinstance(expr, ir.AffineDimExpr):
        return [(ir.AffineDimExpr(expr).position, 1)]
    if isinstance(expr, ir.AffineAddExpr):
        left, right = _terms(expr.lhs), _terms(expr.rhs)
        return None if left is None or right is None else left + right
    if isinstance(expr, ir.AffineMulExpr) and isinstance(expr.rhs, ir.AffineConstantExpr):
        inner = _terms(expr.lhs)
        return None if inner is None else [(d, c * expr.rhs.value) for d, c in inner]
    return None
