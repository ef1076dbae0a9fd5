"""Between which numbers the integers of a program stay, by their types and by the operations that they come from."""

from __future__ import annotations

from raising.affine.ir.integer_functions import SPANS
from raising.affine.ir.integer_types import is_integer, limits
from raising.affine.ir.program import Compute, Program
from raising.affine.ir.spans import Span
from raising.affine.ir.value_names import computes_of
from raising.validate.run.run import elements_of


class IntegerSpans:
    """The spans of a program's scalar values; `computes` are the operations by the names of their results."""

    def __init__(self, program: Program) -> None:
        self.computes = computes_of(program)
        self._scalars, self._elements = program.scalars, elements_of(program)
        self._known: dict[str, Span] = {}

    def of(self, name: str) -> Span:
        """The least and the largest number that a value may be."""
        if name not in self._known:
            whole = of_type(self._elements[name])
            low, high = self._computed(name) or whole
            self._known[name] = (low, high) if whole[0] <= low and high <= whole[1] else whole
        return self._known[name]

    def may_be(self, name: str, number: int) -> bool:
        """True if a value may be that number."""
        low, high = self.of(name)
        return low <= number <= high

    def made_of_integer(self, name: str) -> Compute | None:
        """The conversion of an integer that a float is; None for any other."""
        made = self.computes.get(name)
        return made if made is not None and made.op in ("arith.sitofp", "arith.uitofp") else None

    def _computed(self, name: str) -> Span | None:
        scalar, node = self._scalars.get(name), self.computes.get(name)
        if scalar is not None and scalar.literal is not None:
            number = int(scalar.literal)
            return (abs(number), abs(number)) if scalar.element == "i1" else (number, number)
        if node is None or not all(is_integer(self._elements[a]) for a in node.args):
            return None
        spans = [self.of(a) for a in node.args]
        if node.op == "arith.extui":
            return spans[0] if spans[0][0] >= 0 else limits(self._elements[node.args[0]], False)
        return SPANS[node.op](*spans) if node.op in SPANS else None


def of_type(element: str) -> Span:
    """All numbers of a type."""
    return limits(element) if is_integer(element) and element != "i1" else (0, 1)
