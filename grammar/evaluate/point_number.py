"""Numbers of the reference interpreter: one residue mod p beside one float, in Python.

The operations are those of `number`, which computes them on arrays; a test holds the two equal.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
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


def _compare(name: str, a: Point, b: Point, unsigned: bool) -> bool:
    if name in ("ord", "uno"):
        bit = field.opaque_int("uno", (min(a.res, b.res), max(a.res, b.res))) & 1
        return (bit == 1) == (name == "uno")
    if name in ("true", "false"):
        return name == "true"
    if name in ("eq", "ne"):
        return (a.res == b.res) == (name == "eq")
    if a.res == b.res:
        return name in ("le", "ge")
    if a.flt == b.flt:
        return bool(ORDER[name](*(x.res - _P if x.res > HALF else x.res for x in (a, b))))
    if unsigned:
        return bool(above(a.flt, b.flt) if name[0] == "g" else above(b.flt, a.flt))
    return bool(ORDER[name](a.flt, b.flt))


def _residue(kind: str, op: str, args: Sequence[Point], shadow: float) -> int:
    r = [a.res for a in args]
    match kind:
        case "add" | "sub" | "mul" | "neg":
            return int(_FLOAT[kind](*r)) % _P
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
    kind = residue_kind(op)
    if kind == "compare":
        truth = _compare(predicate(op, attrs), args[0], args[1], is_unsigned(op, attrs))
        return Point(int(truth), float(truth))
    if kind == "truth":
        bit = field.opaque_int(op, tuple(a.res for a in args)) & 1
        return Point(bit, float(bit))
    if kind == "select":
        return args[1] if is_true(args[0].res) else args[2]
    if kind in KEPT:
        name, unsigned = KEPT[kind]
        return args[0] if _compare(name, args[0], args[1], unsigned) or isnan(args[1].flt) else args[1]
    floats = [a.flt for a in args]
    if kind in _FLOAT:
        shadow = _FLOAT[kind](*floats)
    else:
        with np.errstate(all="ignore"):
            shadow = float(SCALARS[op].shadow(*(np.float64(f) for f in floats)))
    return Point(_residue(kind, op, args, shadow), shadow)
