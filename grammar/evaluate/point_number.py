"""Numbers of the reference interpreter: one residue mod p beside one float, in Python.

The operations are those of `number`, which computes them on arrays; a test holds the two equal.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from raising.affine.ir.integer_functions import INTEGERS, above
from raising.grammar.evaluate.number import EVERY, EXACT, HALF, KEPT, READS_TRUTH, SMALL, Attrs, is_true, residue_kind
from raising.grammar.field import field
from raising.grammar.terms.scalar_ops import SCALARS, is_unsigned, predicate
from raising.support.mlir.predicates import ORDER

_P = field.P


class Point(NamedTuple):
    """One residue and its shadow."""

    res: int
    flt: float


def point(value: float | int | Fraction) -> Point:
    """An exact rational (or an infinity) as a point."""
    return Point(field.residue_of(value), float(value))


def _root(a: int) -> int:
    r = pow(a, (_P + 1) // 4, _P)
    return r if r * r % _P == a else field.opaque_int("root", (a,))


def _reciprocal(a: int) -> int:
    return pow(a, _P - 2, _P) if a else field.BY_ZERO


def _logic(op: str, a: Point, b: Point) -> int:
    if all(abs(x.flt) < EXACT and x.flt == int(x.flt) and int(x.flt) % _P == x.res for x in (a, b)):
        return int(INTEGERS[op].exact(int(a.flt), int(b.flt))) % _P
    return field.opaque_int(op, (min(a.res, b.res), max(a.res, b.res)))


def _opaque(op: str, args: Sequence[Point], shadow: float) -> int:
    if op in SMALL and abs(shadow) < EVERY and (op not in READS_TRUTH or args[0].flt != 1):
        ranges = zip(args, SMALL[op], strict=True)
        if all(low <= a.flt < high and a.flt == int(a.flt) and int(a.flt) % _P == a.res for a, (low, high) in ranges):
            return int(shadow) % _P
    return field.opaque_int(op, tuple(a.res for a in args))


def _comparison(name: str, unsigned: bool) -> Callable[[Point, Point], bool]:
    """Whether a comparison holds of two points, as a function."""
    if name in ("ord", "uno"):
        return lambda a, b: (_unordered(a, b) & 1 == 1) == (name == "uno")
    if name in ("true", "false"):
        return lambda _, __: name == "true"
    if name in ("eq", "ne"):
        return lambda a, b: (a.res == b.res) == (name == "eq")
    order, if_same, greater = ORDER[name], name in ("le", "ge"), name[0] == "g"

    def holds(a: Point, b: Point) -> bool:
        if a.res == b.res:
            return if_same
        if a.flt == b.flt:
            return bool(order(*(x.res - _P if x.res > HALF else x.res for x in (a, b))))
        if unsigned:
            return bool(above(a.flt, b.flt) if greater else above(b.flt, a.flt))
        return bool(order(a.flt, b.flt))

    return holds


def _unordered(a: Point, b: Point) -> int:
    return field.opaque_int("uno", (min(a.res, b.res), max(a.res, b.res)))


def _residue(kind: str, op: str, args: Sequence[Point], shadow: float) -> int:
    r = [a.res for a in args]
    match kind:
        case "div":
            return r[0] * _reciprocal(r[1]) % _P if r[0] or r[1] else field.BY_ZERO
        case "fma":
            return (r[0] * r[1] + r[2]) % _P
        case "same":
            return r[0]
        case "root":
            return _root(r[0])
        case "inverse_root":
            return _reciprocal(_root(r[0]))
        case "magnitude":
            return -r[0] % _P if args[0].flt < 0 else r[0]
        case "logic":
            return _logic(op, args[0], args[1])
        case _:
            return _opaque(op, args, shadow)


_FLOAT: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}


def apply(op: str, args: Sequence[Point], attrs: Attrs = ()) -> Point:
    """One scalar operation on points."""
    with np.errstate(all="ignore"):
        return function_of(op, attrs)(args)


@lru_cache(1 << 10)
def function_of(op: str, attrs: Attrs = ()) -> Callable[[Sequence[Point]], Point]:
    """A scalar operation as a function, for many points; who calls it has NumPy say nothing of infinities."""
    kind = residue_kind(op)
    if kind == "compare":
        compared = _comparison(predicate(op, attrs), is_unsigned(op, attrs))
        return lambda args: _TRUTHS[compared(args[0], args[1])]
    if kind == "truth":
        return lambda args: _TRUTHS[field.opaque_int(op, tuple(a.res for a in args)) & 1]
    if kind == "select":
        return lambda args: args[1] if is_true(args[0].res) else args[2]
    if kind in KEPT:
        kept = _comparison(*KEPT[kind])
        return lambda args: args[0] if kept(args[0], args[1]) or isnan(args[1].flt) else args[1]
    return _computed(op, kind)


_TRUTHS = (Point(0, 0.0), Point(1, 1.0))


def _computed(op: str, kind: str) -> Callable[[Sequence[Point]], Point]:
    """An operation whose shadow is computed of the shadows of its operands."""
    simple, shadow_of = _FLOAT.get(kind), SCALARS[op].shadow
    if simple is not None:
        return lambda args: Point(int(simple(*[a.res for a in args])) % _P, simple(*[a.flt for a in args]))

    def of_floats(args: Sequence[Point]) -> Point:
        shadow = float(shadow_of(*[np.float64(a.flt) for a in args]))
        return Point(_residue(kind, op, args, shadow), shadow)

    return of_floats
