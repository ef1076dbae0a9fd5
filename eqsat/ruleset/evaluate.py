"""Expressions of the rule tables computed on small arrays, in any arithmetic.

An array is a NumPy array of Python objects: points of the finite field, floats
of 32 bits, terms of z3. An arithmetic says what one scalar operation does to
such objects; how sums run is fixed here: from zero, in the order of the index.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from raising.eqsat.ruleset.algebra import (
    BILINEAR,
    INT,
    Shape,
    coefficient,
    distances,
    operation,
    picked,
    result_shape,
    starts_from,
    summing,
)
from raising.eqsat.ruleset.expression import Expr, Number, Var
from raising.grammar.evaluate import point_number
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Arithmetic:
    """`scalar` computes one scalar operation of `raising.grammar.terms.scalar_ops`, `literal` makes a constant."""

    kind: str
    scalar: Callable[[str, Sequence[Any]], Any]
    literal: Callable[[float | Fraction], Any]

    def total(self, products: Sequence[Sequence[Any]], start: Any) -> Any:
        """A sum of products (or of single elements), in order."""
        add, mul = (operation(op, self.kind).scalar for op in ("add", "mul"))
        for factors in products:
            term = factors[0] if len(factors) == 1 else self.scalar(mul, factors)
            start = self.scalar(add, (start, term))
        return start


def evaluate(expr: Expr, arrays: Mapping[str, Array], numbers: Mapping[str, float], how: Arithmetic) -> Array:
    """The value of an expression; its operands have to fit together (`shape_of` tells)."""
    if isinstance(expr, Var):
        return arrays[expr.name]
    if isinstance(expr, Number):
        return _filled((1, 1), how.literal(number_value(expr, numbers, how.kind)))
    operands = [evaluate(a, arrays, numbers, how) for a in expr.args]
    op = operation(expr.op, how.kind)
    if op.name == "transpose":
        return operands[0].swapaxes(-1, -2)
    if op.name == "like":
        return np.broadcast_to(operands[0], operands[1].shape)
    if op.name in _STRUCTURED:
        return _STRUCTURED[op.name](operands, how)
    if summing(op.name):
        return _summed(summing(op.name), operands, how)
    wide = np.broadcast_arrays(*operands)
    result = _filled(wide[0].shape, None)
    for index in np.ndindex(*wide[0].shape):
        result[index] = how.scalar(op.scalar, [a[index] for a in wide])
    return result


def _summed(op: str, operands: list[Array], how: Arithmetic) -> Array:
    first = operands[0]
    if op == "rowmax":
        return _greatest(first, how)
    zero = how.literal(starts_from(how.kind))
    if op in ("rowsum", "colsum"):
        rows = first if op == "rowsum" else first.swapaxes(-1, -2)
        sums = _filled((*rows.shape[:-1], 1), None)
        for index in np.ndindex(*rows.shape[:-1]):
            sums[(*index, 0)] = how.total([(x,) for x in rows[index]], zero)
        return sums if op == "rowsum" else sums.swapaxes(-1, -2)
    a, b = (first, first.swapaxes(-1, -2)) if op == "syrk" else operands[-2:]
    result = _filled(result_shape("matmul", (a.shape, b.shape)), None)
    batch = result.shape[:-2]
    a, b = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b))
    for *outer, i, j in np.ndindex(*result.shape):
        at = tuple(outer)
        pairs = [(a[(*at, i, k)], b[(*at, k, j)]) for k in range(a.shape[-1])]
        result[(*at, i, j)] = how.total(pairs, first[(*at, i, j)] if op == "mma" else zero)
    return result


def _greatest(rows: Array, how: Arithmetic) -> Array:
    """The greatest element of each row, which has some."""
    op = operation("max", how.kind).scalar
    found = _filled((*rows.shape[:-1], 1), None)
    for index in np.ndindex(*rows.shape[:-1]):
        first, *rest = rows[index]
        for other in rest:
            first = how.scalar(op, (first, other))
        found[(*index, 0)] = first
    return found


def _diag(operands: list[Array], how: Arithmetic) -> Array:
    column = operands[0]
    n = column.shape[-2]
    found = _filled((*column.shape[:-1], n), how.literal(0.0))
    for k in range(n):
        found[..., k, k] = column[..., k, 0]
    return found


def _bilinear(operands: list[Array], how: Arithmetic) -> Array:
    x, y = (list(a.flat) for a in operands)
    mul = operation("mul", how.kind).scalar
    found = _filled(BILINEAR, None)
    for place, index in enumerate(np.ndindex(*BILINEAR)):
        terms = [
            (how.scalar(mul, (how.literal(coefficient(place, i, j)), a)), b)
            for i, a in enumerate(x)
            for j, b in enumerate(y)
        ]
        found[index] = how.total(terms, how.literal(starts_from(how.kind)))
    return found


def _pad(op: str, operands: list[Array], how: Arithmetic) -> Array:
    inner, border = operands
    found = _filled(result_shape(op, (inner.shape, border.shape)), border[0, 0])
    places = zip(inner.shape, distances(op, inner.ndim), strict=True)
    found[tuple(slice(low, low + n) for n, (low, _) in places)] = inner
    return found


_STRUCTURED: dict[str, Callable[[list[Array], Arithmetic], Array]] = {
    "diag": _diag,
    "diagonal": lambda operands, _: np.diagonal(operands[0], axis1=-2, axis2=-1)[..., None],
    "pick": lambda operands, _: operands[0][..., picked(operands[0].shape[-2]), :],
    "reshape": lambda operands, _: operands[0].reshape(operands[1].shape),
    "bilinear": _bilinear,
    **{op: partial(_pad, op) for op in ("pad", "padmore", "padboth", "padturned")},
}


def _filled(shape: Shape, value: Any) -> Array:
    result = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):  # `fill` would take a tuple apart
        result[index] = value
    return result


def number_value(form: Number, numbers: Mapping[str, float], kind: str) -> float | Fraction:
    """A number with its variables replaced. ZeroDivisionError where it has none."""
    if form.name:
        return numbers[form.name]
    if not form.op:
        return form.value
    a, b = (Fraction(number_value(x, numbers, kind)) for x in form.args)
    if form.op == "/" and kind == INT:
        return math.trunc(a / b)
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[form.op]()


def shape_of(expr: Expr, shapes: Mapping[str, Shape]) -> Shape:
    """The shape of an expression's value; `BadShape` if its operands do not fit together."""
    if isinstance(expr, Var):
        return shapes[expr.name]
    if isinstance(expr, Number):
        return (1, 1)
    return result_shape(expr.op, tuple(shape_of(a, shapes) for a in expr.args))


def random_array(shape: Shape, draw: Callable[[], Any]) -> Array:
    """An array of drawn elements."""
    result = np.empty(shape, dtype=object)
    for index in itertools.product(*map(range, shape)):
        result[index] = draw()
    return result


# ---- arithmetics ---------------------------------------------------------------------------------


def field(kind: str) -> Arithmetic:
    """Points of the finite field, beside their float64 shadows."""
    return Arithmetic(kind, lambda op, args: point_number.apply(op, args), point_number.point)


def float32() -> Arithmetic:
    """IEEE floats of 32 bits: each operation rounds once."""
    return Arithmetic("float", _rounded, lambda value: np.float32(float(value)))


def float64(kind: str) -> Arithmetic:
    """IEEE floats of 64 bits."""

    def scalar(op: str, args: Sequence[Any]) -> Any:
        with np.errstate(all="ignore"):
            return np.float64(SCALARS[op].shadow(*args))

    return Arithmetic(kind, scalar, lambda value: np.float64(float(value)))


def _rounded(op: str, args: Sequence[Any]) -> Any:
    if op in _ORDERED:
        return _ordered(op, *args)
    with np.errstate(all="ignore"):
        return np.float32(SCALARS[op].shadow(*args))


_ORDERED = frozenset({"arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"})


def _ordered(op: str, a: Any, b: Any) -> Any:
    """The greater or the lesser: a NaN wins or loses, and -0.0 is less than 0.0."""
    if np.isnan(a) or np.isnan(b):
        keeps = op.endswith("imumf")
        return (a if np.isnan(a) else b) if keeps else (b if np.isnan(a) else a)
    first = (a, not np.signbit(a)) >= (b, not np.signbit(b))
    return a if first == op.startswith("arith.max") else b
