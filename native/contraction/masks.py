"""Masks: a result written only in part is `select(condition, value, old contents)`; it is read as value and mask.

before  linalg.generic ins(%product) outs(%c) { %r = arith.select %j_up_to_i, %new, %old }
after   call @contraction0(%c, %a, %b)              # tiles in which no element is written are left out
          vector.store (arith.select %lower, %tile, %old)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.contraction.gemm import HalfPlane
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import Rewrite, bounds, operation, part, tidy
from raising.native.nest.nest import Access, Scalar
from raising.support.record import dataclass

_CONSTANTS = {True: "<{value = true}>", False: "<{value = false}>"}

Known = Callable[[Affine], bool | None]
"""Whether an expression is >= 0; None if that is not known."""


@dataclass(frozen=True)
class Guarded:
    """A value, and the condition under which it is written; None: always."""

    value: Fragment
    where: Fragment | None


def guarded(fragment: Fragment, old: Access) -> Guarded:
    """Tell apart where a fragment is new and where it is what `old` holds."""
    body = list(fragment.body)
    found = _split(fragment, fragment.result, old, body)
    if found is None:
        return Guarded(fragment, None)
    value, mask = found
    longer = replace(fragment, body=tuple(body))
    where = None if mask is None else replace(part(longer, mask), element="i1")
    return Guarded(tidy(replace(longer, result=value)), where)


def _split(fragment: Fragment, name: str, old: Access, body: list[Scalar]) -> tuple[str, str | None] | None:
    """The names of a value and of its mask (None: always); None if it is `old` itself, so that nothing is written.

    New operations are added to the body.
    """
    if name.startswith("in") and fragment.reads[int(name[2:])] == old:
        return None
    scalar = operation(fragment, name)
    if scalar is None or scalar.name != "arith.select" or scalar.operands[0] != "i1":
        return name, None
    condition, then, other = scalar.args
    left, right = (_split(fragment, arg, old, body) for arg in (then, other))
    if right is None:
        return None if left is None else (left[0], _both(body, condition, left[1]))
    if left is None:
        return right[0], _both(body, _not(body, condition), right[1])
    if left[1] is None and right[1] is None:
        return name, None
    value = _add(body, replace(scalar, args=(condition, left[0], right[0])))
    masks = (
        condition,
        *(side[1] or _add(body, Scalar("arith.constant", (), _CONSTANTS[True], (), "i1")) for side in (left, right)),
    )
    return value, _add(body, Scalar("arith.select", masks, "", ("i1", "i1", "i1"), "i1"))


def _add(body: list[Scalar], scalar: Scalar) -> str:
    """Add an operation to a body; the name of its value."""
    body.append(scalar)
    return f"v{len(body) - 1}"


def _both(body: list[Scalar], condition: str, mask: str | None) -> str:
    """Add what tells whether a condition and a mask hold; its name."""
    if mask is None:
        return condition
    return _add(body, Scalar("arith.andi", (condition, mask), "", ("i1", "i1"), "i1"))


def _not(body: list[Scalar], condition: str) -> str:
    """Add what tells whether a condition does not hold; its name."""
    true = _add(body, Scalar("arith.constant", (), _CONSTANTS[True], (), "i1"))
    return _add(body, Scalar("arith.xori", (condition, true), "", ("i1", "i1"), "i1"))


def planes(expressions: list[Affine], row: int, column: int) -> list[HalfPlane]:
    """The bounds that are half-planes over two dimensions."""
    found = []
    for expression in expressions:
        factors = (expression.coefficient(row), expression.coefficient(column))
        if abs(factors[0]) == abs(factors[1]) == 1 and len(expression.terms) == 2:
            found.append(HalfPlane(*factors, expression.constant))
    return found


def region_of(where: Fragment, row: int, column: int) -> tuple[HalfPlane, ...] | None:
    """The half-planes that are exactly where a condition holds; None if it is not of that kind."""
    known = _bounds(where, where.result)
    if known is None:
        return None
    found = planes(known, row, column)
    return tuple(found) if len(found) == len(known) else None


def _bounds(fragment: Fragment, name: str) -> list[Affine] | None:
    """As `bounds`, for a negated condition, too."""
    scalar = operation(fragment, name)
    if scalar is not None and scalar.name == "arith.xori":
        inner = bounds(fragment, scalar.args[0])
        return None if inner is None or len(inner) != 1 else [inner[0] * -1 - 1]
    if scalar is not None and scalar.name == "arith.andi":
        sides = [_bounds(fragment, arg) for arg in scalar.args]
        return None if None in sides else [bound for side in sides for bound in side or []]
    return bounds(fragment, name)


def holds(where: Fragment, row: int, column: int, least: int) -> bool:
    """Whether a condition holds wherever row - column is at least a number."""
    return decided(where, where.result, side(row, column, 1, least)) is True


def side(row: int, column: int, sign: int, least: int = 1) -> Known:
    """The signs of expressions that are known where row - column is at least a number (`sign` 1), at most its negative
    (-1), or 0 (0).
    """

    def known(expression: Affine) -> bool | None:
        if sign == 0:
            rest = expression.substitute({row: dim(column)})
            return rest.constant >= 0 if rest.is_constant else None
        away = (dim(row) - dim(column)) * sign
        more, less = expression - away, expression + away
        if more.is_constant and more.constant >= -least:
            return True
        return False if less.is_constant and less.constant < least else None

    return known


def folded(fragment: Fragment, known: Known) -> Fragment:
    """The fragment without choices that are known; `known` says whether an expression is >= 0."""

    def swap(name: str) -> str | None:
        scalar = operation(fragment, name)
        if scalar is None or scalar.result != "i1" and scalar.name != "arith.select":
            return None
        if scalar.name == "arith.select":
            chosen = decided(fragment, scalar.args[0], known)
            return None if chosen is None else copy.value(scalar.args[1 if chosen else 2])
        truth = decided(fragment, name, known)
        return None if truth is None else copy.add(Scalar("arith.constant", (), _CONSTANTS[truth], (), "i1"))

    copy = Rewrite(fragment, swap)
    return copy.finish(copy.value(fragment.result), fragment.element, dict(fragment.captured))


def decided(fragment: Fragment, name: str, known: Known) -> bool | None:
    """Whether a condition holds everywhere or nowhere."""
    scalar = operation(fragment, name)
    if scalar is None:
        return None
    if scalar.name == "arith.constant":
        return "true" in scalar.properties
    if scalar.name in ("arith.andi", "arith.xori", "arith.select"):
        return _combined(scalar.name, [decided(fragment, arg, known) for arg in scalar.args])
    expressions = bounds(fragment, name)
    if expressions is None:
        return None
    found = [known(expression) for expression in expressions]
    return False if False in found else None if None in found else True


def _combined(name: str, sides: list[bool | None]) -> bool | None:
    """and, xor or select of truth values, as far as they are known."""
    if name == "arith.select":
        if sides[0] is None:
            return sides[1] if sides[1] == sides[2] else None
        return sides[1 if sides[0] else 2]
    if name == "arith.andi" and False in sides:
        return False
    if None in sides:
        return None
    return all(sides) if name == "arith.andi" else sides[0] != sides[1]


def needs_sum(fragment: Fragment, row: int, column: int) -> bool:
    """Whether the sum counts for the value where row and column are the same."""
    return uses_sum(folded(fragment, side(row, column, 0)))


def uses_sum(fragment: Fragment) -> bool:
    """Whether a value depends on the sum."""
    return fragment.result == "sum" or any("sum" in scalar.args for scalar in fragment.body)
