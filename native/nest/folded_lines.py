"""`FoldedLines` compute index arithmetic and branches at once where their operands are known when compiling."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.nest.index_formulas import Value, value_of
from raising.native.nest.mlir_builder import Lines

Index = Value
"""An index that is known when compiling, or the name of an index value."""
Condition = Value
"""The same of a truth value."""

_KNOWN: dict[str, Callable[[Any, Any], int]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "minsi": min,
    "maxsi": max,
    "divui": operator.floordiv,
    "remui": operator.mod,
    "cmpi eq,": operator.eq,
    "cmpi slt,": operator.lt,
    "cmpi sle,": operator.le,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
}
_NEUTRAL: dict[str, dict[str, int]] = {
    "index": {"addi": 0, "subi": 0, "muli": 1, "divui": 1},
    "i1": {"andi": True, "ori": False},
}
"""The right operands that change nothing."""
_ABSORBING: dict[str, dict[str, int]] = {"index": {"muli": 0}, "i1": {"andi": False, "ori": True}}
"""The operands that are the result."""


def _folded(sign: str, kind: str, left: Index, right: Index) -> Index | None:
    """The result of an operation, as far as its operands tell; else None."""
    if isinstance(left, int) and isinstance(right, int):
        return _KNOWN[sign](left, right)
    neutral, end = _NEUTRAL[kind].get(sign), _ABSORBING[kind].get(sign)
    if right == neutral or (left == right and sign in ("minsi", "maxsi")):
        return left
    if left == neutral and sign not in ("subi", "divui"):
        return right
    if sign == "remui" and right == 1:
        return 0
    return end if end is not None and end in (left, right) else None


def _runs_once(lower: Index, upper: Index, step: Index) -> bool:
    known = isinstance(lower, int) and isinstance(upper, int) and isinstance(step, int)
    return known and lower < upper <= lower + step  # type: ignore[operator]


class FoldedLines(Lines):
    """The lines of a function that computes with indices and conditions, some of which are known when compiling."""

    stem = "g"

    def known(self, formula: str) -> Index:
        """The value of a formula, which is a number if its operands tell that."""
        return value_of(formula, self.operation)

    def operation(self, sign: str, kind: str, *operands: Index) -> Index:
        """Write an operation, unless its result is known."""
        left, right = operands
        found = _folded(sign, kind, left, right)
        return super().operation(sign, kind, left, right) if found is None else found

    def names(self, *indices: Index) -> str:
        """Several values, as they stand between brackets."""
        return ", ".join(map(self.named, indices))

    def total(self, expression: Affine, point: Mapping[Term, Index]) -> Index:
        """The value of an affine expression; `point` has that of each term."""
        result: Index = expression.constant
        for term, factor in expression.terms:
            product = self.operation("muli", "index", point[term], factor)  # not as text: it is done so often
            result = self.operation("addi", "index", result, product)
        return result

    @contextmanager
    def each(
        self, lower: Index, upper: Index, step: Index = 1, *, parallel: str | bool = False, whole: bool = False
    ) -> Iterator[Index]:
        """A loop; its variable. If it is known to run once, there is none. `parallel` and `whole` are as of `loop`."""
        if _runs_once(lower, upper, step):
            yield lower
            return
        bounds = self.named(lower), self.named(upper), self.named(step)
        with self.loop(bounds, parallel=parallel, whole=whole) as state:
            yield state.induction

    @contextmanager
    def when(self, condition: Condition) -> Iterator[None]:
        """Lines that count only under a condition, a formula. If it is known to be false, they are dropped."""
        condition = self.known(condition) if isinstance(condition, str) else condition
        if isinstance(condition, bool):
            kept = len(self.lines)
            yield
            if not condition:
                del self.lines[kept:]
            return
        with self.region(f"scf.if {condition} {{", "}"):
            yield
