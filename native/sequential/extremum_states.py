"""States that are the larger of two numbers: tables of dynamic programming, running maxima, sums that begin anew.

What an iteration makes of the state s before it is max(a, s + w), where a and w do not depend on s, or only a where
some condition does not hold. Two iterations are one of this kind, so many are a scan, as sums are: in the semiring of
maximum and sum in place of sum and product (Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4.1). For
minima alike.

    before  v = max(up, left);  t = same ? diagonal + 1 : v         (left is the state)
    after   a = same ? diagonal + 1 : up;  kept = !same             t = kept ? max(a, left) : a

Sums of integers must not wrap around where the loop's own do not: a scan adds what the loop compares first. Values that
are added to are `guarded`: the code looks whether they are small, and else takes the iterations one by one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from raising.native.loops.narrow import constant
from raising.native.loops.vector_ops import element_bits
from raising.native.nest.nest import Nest, Scalar
from raising.support.record import dataclass

_LARGEST = re.compile(r"arith\.(max|min)(imumf|numf|si|ui)")
_SUMS = ("arith.addf", "arith.subf", "arith.addi", "arith.subi")
_GUARDED = ("i32", "i64")
"""Integers that are long enough for numbers which are small beside them."""


@dataclass(frozen=True)
class Extremum:
    """What a state becomes, by names of the body: `operation` of `value` and the state with `weight`, where `kept`.

    `values` and `weights` are small integers where nothing wraps around.
    """

    operation: Scalar
    value: str
    weight: str = ""
    kept: str = ""
    values: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()

    @property
    def guarded(self) -> bool:
        """Whether numbers have to be looked at, before they are added."""
        return bool(self.values or self.weights)


def largest_value(element: str) -> int:
    """The magnitude of values that small weights may be added to."""
    return 1 << (element_bits(element) - 2)


def largest_weight(element: str) -> int:
    """The magnitude of a weight; a vector of them does not make a value as large as the type's largest."""
    return 1 << (element_bits(element) - 8)


def extremum(nest: Nest, read: str, of: str, element: str) -> tuple[Nest, Extremum] | None:
    """A value of the body as an extremum over one of the reads, and the nest with what that is made of; else None."""
    writer = _Forms(nest, read, element)
    form = writer.of(of)
    if form is None or form.operation is None or not form.value:
        return None
    values = [*writer.values, form.value] if form.weight else []
    numbers = {name: number for name in writer.weights if (number := _number(writer.body, name)) is not None}
    if any(abs(number) > largest_weight(element) for number in numbers.values()):
        return None
    guards = bool(values or writer.weights) and not element.startswith("f")
    if guards and element not in _GUARDED:
        return None
    found = Extremum(form.operation, form.value, form.weight, form.kept)
    if guards:
        weights = tuple(name for name in dict.fromkeys(writer.weights) if name not in numbers)
        found = replace(found, values=tuple(dict.fromkeys(values)), weights=weights)
    return replace(nest, body=tuple(writer.body)), found


def _number(body: Sequence[Scalar], name: str) -> int | None:
    return constant(body[int(name[1:])]) if name[0] == "v" else None


@dataclass(frozen=True)
class _Form:
    """An extremum as far as it is known: no `value` is smaller than all, no `weight` is 0, no `kept` holds always."""

    operation: Scalar | None = None
    value: str = ""
    weight: str = ""
    kept: str = ""


class _Forms:
    """The values of a body that depend on a read, as forms; what these are made of is written behind the `body`."""

    def __init__(self, nest: Nest, read: str, element: str) -> None:
        self.body, self.element = list(nest.body), element
        self.values: list[str] = []
        self.weights: list[str] = []
        self._forms: dict[str, _Form | None] = {read: _Form()}
        for number, scalar in enumerate(nest.body):
            if any(arg in self._forms for arg in scalar.args):
                self._forms[f"v{number}"] = self._made(scalar)

    def of(self, name: str) -> _Form | None:
        """The form of a value; None if it is none, or does not depend on the read."""
        return self._forms.get(name)

    def _made(self, scalar: Scalar) -> _Form | None:
        args, forms = scalar.args, [self._forms.get(arg) for arg in scalar.args]
        depend = [arg in self._forms for arg in args]
        known = [form for form in forms if form is not None]
        if scalar.result != self.element or len(known) < sum(depend):
            return None
        if scalar.name in _SUMS and depend in ([True, False], [False, True]):
            at = depend.index(True)
            return None if at and scalar.name.startswith("arith.sub") else self._sum(scalar, known[0], at)
        if _LARGEST.fullmatch(scalar.name):
            return self._largest(scalar, known, args[depend.index(False)] if len(known) == 1 else "")
        if scalar.name == "arith.select" and not depend[0]:
            return self._both(scalar, *known) if len(known) == 2 else self._one(scalar, known[0], depend[1])
        return None

    def _sum(self, scalar: Scalar, form: _Form, at: int) -> _Form | None:
        """A form and a number."""
        other = scalar.args[1 - at]
        if form.operation is not None and form.operation.name.endswith("ui"):
            return None
        self.weights.append(other)
        value = form.value
        if value:
            self.values.append(value)
            value = self._add(replace(scalar, args=_placed(value, other, at)))
        weight = form.weight or ("" if scalar.name.startswith("arith.add") else self._zero())
        weight = self._add(replace(scalar, args=_placed(weight, other, at))) if weight else other
        return replace(form, value=value, weight=weight)

    def _largest(self, scalar: Scalar, forms: list[_Form], other: str) -> _Form | None:
        """The extremum of a form and a number, or of two forms that differ by their values."""
        first, second = forms[0], forms[-1] if len(forms) == 2 else _Form(value=other)
        alike = len(forms) == 1 or (first.weight, first.kept) == (second.weight, second.kept)
        same = all(each.operation is None or each.operation.name == scalar.name for each in forms)
        unsigned = scalar.name.endswith("ui") and first.weight
        if not alike or not same or unsigned:
            return None
        values = [each.value for each in (first, second) if each.value]
        value = self._add(replace(scalar, args=tuple(values))) if len(values) == 2 else (values or [""])[0]
        return replace(first, operation=scalar, value=value)

    def _both(self, scalar: Scalar, first: _Form, second: _Form) -> _Form | None:
        """A choice between two forms."""
        kinds = {each.operation.name for each in (first, second) if each.operation is not None}
        if len(kinds) > 1 or first.kept != second.kept or bool(first.value) != bool(second.value):
            return None
        weight, value = first.weight, first.value
        if first.weight != second.weight:
            sides = [each.weight or self._zero() for each in (first, second)]
            weight = self._add(replace(scalar, args=(scalar.args[0], *sides)))
        if first.value != second.value:
            value = self._add(replace(scalar, args=(scalar.args[0], first.value, second.value)))
        return _Form(first.operation or second.operation, value, weight, first.kept)

    def _one(self, scalar: Scalar, form: _Form, first: bool) -> _Form | None:
        """A choice between a form and a number: the state counts on one side only."""
        if not form.value:
            return None
        asked, one, two = scalar.args
        value = self._add(replace(scalar, args=(asked, form.value, two) if first else (asked, one, form.value)))
        kept = asked
        if not first:
            true = self._add(Scalar("arith.constant", (), "<{value = true}>", (), "i1"))
            kept = self._add(Scalar("arith.xori", (asked, true), "", ("i1", "i1"), "i1"))
        if form.kept:
            kept = self._add(Scalar("arith.andi", (form.kept, kept), "", ("i1", "i1"), "i1"))
        return replace(form, value=value, kept=kept)

    def _zero(self) -> str:
        number = "0.000000e+00" if self.element.startswith("f") else "0"
        text = f"<{{value = {number} : {self.element}}}>"
        return self._add(Scalar("arith.constant", (), text, (), self.element))

    def _add(self, scalar: Scalar) -> str:
        self.body.append(scalar)
        return f"v{len(self.body) - 1}"


def _placed(value: str, other: str, at: int) -> tuple[str, str]:
    """Two operands, the first one at a place."""
    return (other, value) if at else (value, other)
