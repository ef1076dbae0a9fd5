"""`FoldedLines` compute index arithmetic and branches at once where their operands are known when compiling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from operator import add, eq, floordiv, ge, le, lt, mod, mul, sub

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.nest.mlir_builder import Lines

Index = int | str
"""An index that is known when compiling, or the name of an index value."""

Condition = bool | str
"""A condition that is known when compiling, or the name of an i1 value."""

_COMPARED: dict[str, Callable[[int, int], bool]] = {"eq": eq, "slt": lt, "sle": le, "sge": ge}


def _runs_once(lower: Index, upper: Index, step: Index) -> bool:
    known = isinstance(lower, int) and isinstance(upper, int) and isinstance(step, int)
    return known and lower < upper <= lower + step  # type: ignore[operator]


class FoldedLines(Lines):
    """The lines of a function that computes with indices and conditions, some of which are known when compiling."""

    stem = "g"

    def name(self, index: Index) -> str:
        """The name of an index value, a constant if need be."""
        return self.index(index) if isinstance(index, int) else index

    def names(self, *indices: Index) -> str:
        """Several, as they stand between brackets."""
        return ", ".join(self.name(index) for index in indices)

    def _binary(self, op: str, known: Callable[[int, int], int], left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return known(left, right)
        return self.op(f"arith.{op} {self.name(left)}, {self.name(right)} : index")

    def add(self, left: Index, right: Index) -> Index:
        """left + right."""
        if left == 0 or right == 0:
            return right if left == 0 else left
        return self._binary("addi", add, left, right)

    def sub(self, left: Index, right: Index) -> Index:
        """left - right."""
        return left if right == 0 else self._binary("subi", sub, left, right)

    def mul(self, left: Index, right: Index) -> Index:
        """left * right."""
        if left == 0 or right == 0:
            return 0
        if left == 1 or right == 1:
            return right if left == 1 else left
        return self._binary("muli", mul, left, right)

    def min(self, left: Index, right: Index) -> Index:
        """The smaller of two."""
        return left if left == right else self._binary("minsi", min, left, right)

    def max(self, left: Index, right: Index) -> Index:
        """The larger of two."""
        return left if left == right else self._binary("maxsi", max, left, right)

    def div(self, left: Index, right: Index) -> Index:
        """left / right, rounded down; neither is negative."""
        return left if right == 1 else self._binary("divui", floordiv, left, right)

    def rem(self, left: Index, right: Index) -> Index:
        """left modulo right; neither is negative."""
        return 0 if right == 1 else self._binary("remui", mod, left, right)

    def ceildiv(self, left: Index, right: Index) -> Index:
        """left / right, rounded up; neither is negative."""
        return self.div(self.add(left, self.sub(right, 1)), right)

    def total(self, expression: Affine, point: Mapping[Term, Index]) -> Index:
        """The value of an affine expression; `point` has that of each term."""
        result: Index = expression.constant
        for term, factor in expression.terms:
            result = self.add(result, self.mul(point[term], factor))
        return result

    # ---- conditions --------------------------------------------------------------------------------

    def compare(self, predicate: str, left: Index, right: Index) -> Condition:
        """`eq`, `slt`, `sle` or `sge` of two indices."""
        if isinstance(left, int) and isinstance(right, int):
            return _COMPARED[predicate](left, right)
        return self.op(f"arith.cmpi {predicate}, {self.name(left)}, {self.name(right)} : index")

    def both(self, left: Condition, right: Condition) -> Condition:
        """left and right."""
        if isinstance(left, bool):
            return right if left else False
        if isinstance(right, bool):
            return left if right else False
        return self.op(f"arith.andi {left}, {right} : i1")

    def either(self, left: Condition, right: Condition) -> Condition:
        """left or right."""
        if isinstance(left, bool):
            return True if left else right
        if isinstance(right, bool):
            return True if right else left
        return self.op(f"arith.ori {left}, {right} : i1")

    def negate(self, condition: Condition) -> Condition:
        """The negation of a truth value."""
        if isinstance(condition, bool):
            return not condition
        return self.op(f"arith.xori {condition}, {self.constant('true')} : i1")

    # ---- loops and branches ------------------------------------------------------------------------

    @contextmanager
    def each(
        self, lower: Index, upper: Index, step: Index = 1, *, parallel: str | bool = False, whole: bool = False
    ) -> Iterator[Index]:
        """A loop; its variable. If it is known to run once, there is none. `parallel` and `whole` are as of `loop`."""
        if _runs_once(lower, upper, step):
            yield lower
            return
        bounds = self.name(lower), self.name(upper), self.name(step)
        with self.loop(bounds, parallel=parallel, whole=whole) as state:
            yield state.induction

    @contextmanager
    def when(self, condition: Condition) -> Iterator[None]:
        """Lines that count only under a condition. If it is known to be false, they are dropped."""
        if isinstance(condition, bool):
            kept = len(self.lines)
            yield
            if not condition:
                del self.lines[kept:]
            return
        with self.region(f"scf.if {condition} {{", "}"):
            yield
