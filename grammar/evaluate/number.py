"""Numbers for observational equivalence: arrays of residues mod p beside float64s, as the search computes them.

Equality is decided on the residues, order on the floats, their *shadows*. Numbers that differ although their shadows do
not, by rounding or because both are beyond all floats, are ordered by their residues, and an extremum prefers a number
to a NaN (which sums of such infinities are): it is the same in whatever order it is taken. The meaning of each
operation is a row of `raising.grammar.terms.scalar_ops`; `point_number` computes the same on single numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from raising.affine.ir.integer_functions import INTEGERS, above
from raising.grammar.field import field
from raising.grammar.terms.scalar_ops import SCALARS, is_unsigned, neutral, predicate
from raising.support.mlir.predicates import ORDER

Attrs = tuple[tuple[str, str], ...]
_P = field.P
HALF = _P // 2
"""The residues above it are those of negative integers."""


KEPT: dict[str, tuple[str, bool]] = {
    "greater": ("gt", False),
    "less": ("lt", False),
    "unsigned_greater": ("gt", True),
    "unsigned_less": ("lt", True),
}
"""An operation that keeps one operand keeps the first where this comparison holds: its name, and if it is unsigned."""


class Unsupported(Exception):
    """A scalar operation without meaning here; the message names it."""


class Num(NamedTuple):
    """Residues and shadows of equal shape."""

    res: field.Residues
    flt: npt.NDArray[np.float64]


_NEAR = 1e-3
_NOTHING = 1e-12


def apart(one: Num, other: Num, where: npt.NDArray[np.bool_] | None = None) -> bool:
    """Whether most of the shadows of equal residues differ.

    The prime has a form: modulo 2^61 - 1, 2^-55 is 2^6, and so the float nearest to 0.1 is 12.9. Random points do not
    show that, since it concerns constants. Shadows that are both next to nothing are what cancellation left, which does
    not show it, either.
    """
    known, far = _shadows(one, other, where)
    return 2 * int(far.sum()) > int(known.sum())


def any_apart(one: Num, other: Num, where: npt.NDArray[np.bool_]) -> bool:
    """Whether any of the shadows that tell something differ."""
    return bool(_shadows(one, other, where)[1].any())


def _shadows(one: Num, other: Num, where: npt.NDArray[np.bool_] | None) -> tuple[npt.NDArray[np.bool_], ...]:
    """Which shadows tell something, and which of them differ."""
    size = np.maximum(np.abs(one.flt), np.abs(other.flt))
    known = np.isfinite(one.flt) & np.isfinite(other.flt) & ((size > _NOTHING) | (size == 0))
    known = known if where is None else known & where
    with np.errstate(all="ignore"):
        return known, known & (np.abs(one.flt - other.flt) > _NEAR * size)


def undefined(one: Num, other: Num) -> npt.NDArray[np.bool_]:
    """Where the first is no number although the second is one: a quotient by zero has a residue all the same."""
    return np.asarray(np.isnan(one.flt) & np.isfinite(other.flt))


def residue_kind(op: str) -> str:
    """How the residue of an operation is computed; `Unsupported` if it has no meaning in the field."""
    if op not in SCALARS:
        raise Unsupported(f"operation '{op}' has no meaning in the field")
    return SCALARS[op].residue


def constant(value: float | int | Fraction) -> Num:
    """A rank-0 number holding an exact rational (or an infinity)."""
    return Num(np.asarray(np.uint64(field.residue_of(value))), np.asarray(float(value)))


def _root(a: field.Residues) -> field.Residues:
    r = field.power(a, (_P + 1) // 4)
    return np.where(field.mul(r, r) == a, r, field.opaque("root", (a,)))


def _logic(op: str, a: Num, b: Num, shadow: npt.NDArray[np.float64]) -> field.Residues:
    """On the bits of integers that the shadow holds exactly (truth values among them); opaque on other numbers.

    A machine's integers are these modulo a power of two, with which logic on bits agrees.
    """
    in_order = np.minimum(a.res, b.res), np.maximum(a.res, b.res)
    return _where_known(_is_integer(a) & _is_integer(b), shadow, op, in_order)


def _opaque(op: str, args: Sequence[Num], shadow: npt.NDArray[np.float64]) -> field.Residues:
    """Opaque but for the small integers of `SMALL`."""
    residues = tuple(a.res for a in args)
    if op not in SMALL:
        return field.opaque(op, residues)
    known = np.asarray(np.abs(shadow) < EVERY)
    for a, (low, high) in zip(args, SMALL[op], strict=True):
        known = known & _is_integer(a) & (a.flt >= low) & (a.flt < high)
    if op in READS_TRUTH:
        known = known & (args[0].flt != 1)
    return _where_known(known, shadow, op, residues)


def _where_known(
    known: npt.NDArray[np.bool_], shadow: npt.NDArray[np.float64], op: str, residues: tuple[field.Residues, ...]
) -> field.Residues:
    """The integer that the shadow holds where it is known, an opaque value elsewhere."""
    if known.all():
        return _residues(shadow.astype(np.int64))
    value = _residues(np.where(known, shadow, 0.0).astype(np.int64))
    return np.where(known, value, field.opaque(op, residues))


EVERY = 128
"""Integers of all types but truth values may be as large as this, excluded."""

SMALL = {op: row.small for op, row in INTEGERS.items() if row.small}
"""Operations on integers that are no polynomials, and operands of which the result is the same in every width.

Their residue is that of the result, so that comparisons behind them turn: `(x >> 3) != 0` of a truth value never holds.
"""

READS_TRUTH = ("arith.extsi",)
"""Operations that may read a truth value: 1 as such, widened with a sign, is -1."""


def _residues(value: npt.NDArray[np.int64]) -> field.Residues:
    """Integers beyond neither -p nor p as residues."""
    return (value + np.where(value < 0, np.int64(_P), np.int64(0))).astype(np.uint64)


EXACT = float(1 << 53)
"""Below it, floats hold all integers."""


def _is_integer(a: Num) -> npt.NDArray[np.bool_]:
    whole = (np.abs(a.flt) < EXACT) & (np.trunc(a.flt) == a.flt)
    value = np.where(whole, a.flt, 0.0).astype(np.int64)
    return np.asarray(whole & (_residues(value) == a.res))


def is_true(truth: Any) -> Any:
    """The truth of an opaque value is random, too: its last bit, which is all there is of 0 and 1."""
    return truth % 2 == 1


def _compare(name: str, a: Num, b: Num, unsigned: bool) -> npt.NDArray[np.bool_]:
    same = a.res == b.res
    if name in ("ord", "uno"):  # no number of the field is a NaN, so what asks for one is opaque
        bit = field.opaque("uno", (np.minimum(a.res, b.res), np.maximum(a.res, b.res))) & np.uint64(1)
        return np.asarray((bit == 1) == (name == "uno"))
    if name in ("true", "false"):
        return np.full(np.broadcast_shapes(a.res.shape, b.res.shape), name == "true")
    if name in ("eq", "ne"):
        return np.asarray(same if name == "eq" else ~same)
    strict = above(*((a.flt, b.flt) if name[0] == "g" else (b.flt, a.flt))) if unsigned else ORDER[name](a.flt, b.flt)
    tied = ~same & (a.flt == b.flt)
    if tied.any():
        strict = np.where(tied, ORDER[name](_signed(a.res), _signed(b.res)), strict)
    return np.where(same, name in ("le", "ge"), strict)


def _signed(residues: field.Residues) -> npt.NDArray[np.int64]:
    whole = residues.astype(np.int64)
    return np.where(whole > HALF, whole - _P, whole)


def _residue(kind: str, op: str, args: Sequence[Num], shadow: npt.NDArray[np.float64]) -> field.Residues:
    r = [a.res for a in args]
    match kind:
        case "add" | "sub" | "mul":
            return _RING[kind](*r)
        case "div":
            return field.quotient(r[0], r[1])
        case "neg":
            return field.neg(r[0])
        case "fma":
            return field.add(field.mul(r[0], r[1]), r[2])
        case "same":
            return r[0]
        case "root":
            return _root(r[0])
        case "inverse_root":
            return field.reciprocal(_root(r[0]))
        case "magnitude":
            return np.where(args[0].flt < 0, field.neg(r[0]), r[0])
        case "logic":
            return _logic(op, args[0], args[1], shadow)
        case _:
            return _opaque(op, args, shadow)


_RING: dict[str, Callable[..., field.Residues]] = {"add": field.add, "sub": field.sub, "mul": field.mul}


def apply(op: str, args: Sequence[Num], attrs: Attrs = ()) -> Num:
    """One scalar operation on arrays, elementwise with broadcasting."""
    kind = residue_kind(op)
    if kind == "compare":
        truth = _compare(predicate(op, attrs), args[0], args[1], is_unsigned(op, attrs))
        return Num(truth.astype(np.uint64), truth.astype(np.float64))
    if kind == "truth":
        bit = field.opaque(op, tuple(a.res for a in args)) & np.uint64(1)
        return Num(bit, bit.astype(np.float64))
    if kind == "select":
        taken = is_true(args[0].res)
        return Num(np.where(taken, args[1].res, args[2].res), np.where(taken, args[1].flt, args[2].flt))
    if kind in KEPT:
        name, unsigned = KEPT[kind]
        if keep := field.keeping(name, unsigned):
            res, flt = keep(*args[0], *args[1])
            return Num(np.asarray(res), np.asarray(flt))
        taken = _compare(name, args[0], args[1], unsigned) | np.isnan(args[1].flt)
        return Num(np.where(taken, args[0].res, args[1].res), np.where(taken, args[0].flt, args[1].flt))
    with np.errstate(all="ignore"):
        shadow = np.asarray(SCALARS[op].shadow(*(a.flt for a in args)), dtype=np.float64)
    return Num(_residue(kind, op, args, shadow), shadow)


def combine(op: str, a: Num, axes: tuple[int, ...]) -> Num:
    """Reduce `a` along `axes` with the combiner `op`, in halves: it is associative and commutative."""
    if residue_kind(op) == "add":
        with np.errstate(all="ignore"):
            return Num(field.total(a.res, axes), np.asarray(np.sum(a.flt, axis=axes)))
    rest = [d for d in range(a.res.ndim) if d not in axes]
    shape = [a.res.shape[d] for d in rest]
    count = prod(a.res.shape[d] for d in axes)
    if count == 0:
        start = constant(neutral(op))
        return Num(np.broadcast_to(start.res, shape), np.broadcast_to(start.flt, shape))
    order = [*axes, *rest]  # first what is reduced: its halves lie in one piece
    res = a.res.transpose(order).reshape([count, *shape])
    flt = a.flt.transpose(order).reshape([count, *shape])
    while count > 1:
        half = count // 2
        joined = apply(op, (Num(res[:half], flt[:half]), Num(res[half : 2 * half], flt[half : 2 * half])))
        if count % 2:
            res, flt = np.concatenate([joined.res, res[-1:]]), np.concatenate([joined.flt, flt[-1:]])
        else:
            res, flt = joined
        count -= half
    return Num(res[0], flt[0])
