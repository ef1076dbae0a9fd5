"""Scalar operations that are others in disguise: those on truth values, of which 1 is -1 with its sign; `copysign`.

A constant at another width is a constant: as an operation of a constant it would be no number that an element is equal
to, and what a comparison with it chooses would not be seen. A choice between numbers that were extended for it, as C's
`m = x > m ? x : m` of bytes, is one between them as they were, where it is cut back.

What asks whether a float is NaN or infinite becomes `ord`, `uno` and `math.isfinite`. A loop's floats are taken for
real numbers, and of those `x != x` and `x < inf` are known. A program that asks means the numbers that are none, so its
questions are kept apart from comparisons of numbers: no identity of the reals decides them.

    before  %e = arith.maxsi %c, %d : i1
    after   e = arith.andi(c, d)                        1 is -1 with sign
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from raising.frontend.mlir.loop_nest import NestReader
from raising.support.mlir.predicates import CMPF, ORDER, number_of
from raising.support.mlir.walk import maker

_OF_TRUTHS = {
    **{
        "arith.maxsi": "arith.andi",
        "arith.minsi": "arith.ori",
        "arith.maxui": "arith.ori",
        "arith.minui": "arith.andi",
    },
    **{"arith.addi": "arith.xori", "arith.subi": "arith.xori", "arith.muli": "arith.andi"},
}
"""What integer operations are modulo two, where with its sign 1 is -1."""

_EXCHANGED = {2: 8, 3: 9, 4: 6, 5: 7}
"""Predicates that compare truth values with their sign as those without it that say the same: 1 is the least."""

_EXTENSIONS = ("arith.extsi", "arith.extui")
_WIDTHS = (*_EXTENSIONS, "arith.trunci")

_ZEROS = {"0.0": "-0.0", "-0.0": "0.0"}
"""The opposites of zeros, which are equal to them and have another sign."""


def read_plain(r: NestReader, op: Any, attrs: tuple[tuple[str, str], ...]) -> None:
    """A scalar operation on data, as the plain operation that it is."""
    if _read_class(r, op, attrs):
        return None
    if op.name == "arith.negf" and (zero := _literal(r, op.operands[0])) in _ZEROS:
        r.data[op.results[0]] = r.constant(_ZEROS[str(zero)], str(op.results[0].type))
        return None
    if (number := _converted(r, op)) is not None:
        r.data[op.results[0]] = r.constant(str(number), str(op.results[0].type))
        return None
    if op.name == "arith.trunci" and (narrow := _chosen(r, op)) is not None:
        r.data[op.results[0]] = narrow
        return None
    if op.name == "math.copysign" and (negative := _sign(r, op)) is not None:
        return _signed(r, op, negative)
    if op.name == "arith.cmpi" and str(op.operands[0].type) == "i1":
        number = number_of(attrs)
        attrs = (("predicate", f"{_EXCHANGED.get(number, number)} : i64"),)
    name = _OF_TRUTHS.get(op.name, op.name) if str(op.results[0].type) == "i1" else op.name
    r.compute(op, attrs, name)
    return None


def _converted(r: NestReader, op: Any) -> int | None:
    """A constant integer at another width; None for all else, and for truth values as results."""
    if op.name not in _WIDTHS or str(op.results[0].type) == "i1" or (text := _literal(r, op.operands[0])) is None:
        return None
    old, new = (int(str(t.type).removeprefix("i")) for t in (op.operands[0], op.results[0]))
    bits = int(text in ("true", "1", "-1")) if old == 1 else int(text) & ((1 << old) - 1)
    if op.name == "arith.extsi" and bits >> (old - 1):
        bits -= 1 << old
    bits &= (1 << new) - 1
    return bits - (1 << new) if bits >> (new - 1) else bits


def _chosen(r: NestReader, op: Any) -> str | None:
    """A choice between numbers that were extended from this type, without the extension; None for all else."""
    choice, narrow = maker(op.operands[0], "arith.select"), op.results[0].type
    if choice is None:
        return None
    sides = []
    for side in list(choice.operands)[1:]:
        made = next((found for name in _EXTENSIONS if (found := maker(side, name)) is not None), None)
        if made is None or made.operands[0].type != narrow:
            return None
        sides.append(r.name_of(made.operands[0], op))
    return r.computed("arith.select", (r.name_of(choice.operands[0], op), *sides), str(narrow), op)


def _sign(r: NestReader, op: Any) -> bool | None:
    """True if the operand that gives the sign is a negative constant, -0.0 too; None if it is none."""
    text = _literal(r, op.operands[1])
    return None if text in (None, "nan") else str(text).startswith("-")


def _literal(r: NestReader, value: Any) -> str | None:
    """The text of a constant."""
    scalar = r.scalars.get(r.data.get(value, ""))
    return None if scalar is None else scalar.literal


def _signed(r: NestReader, op: Any, negative: bool) -> None:
    """The magnitude of a number, or its opposite."""
    element = str(op.results[0].type)
    size = r.computed("math.absf", (r.name_of(op.operands[0], op),), element, op)
    r.data[op.results[0]] = r.computed("arith.negf", (size,), element, op) if negative else size


# ---- classes of floats ---------------------------------------------------------------------------

_ORDERED, _UNORDERED, _GREATER, _FIRST_UNORDERED = 7, 14, 2, 8
_ENDLESS = {"0x7F800000": inf, "0x7FF0000000000000": inf, "0xFF800000": -inf, "0xFFF0000000000000": -inf}


def _read_class(r: NestReader, op: Any, attrs: tuple[tuple[str, str], ...]) -> bool:
    """A question about the class of a float; False if the operation asks none."""
    if op.name in _NAMED:
        r.data[op.results[0]] = _NAMED[op.name](_Questions(r, op, r.name_of(op.operands[0], op)))
        return True
    if op.name != "arith.cmpf":
        return False
    number = number_of(attrs)
    a, b = (r.name_of(v, op) for v in op.operands)
    if a == b:
        r.data[op.results[0]] = _Questions(r, op, a).compared_with_itself(number)
        return True
    for x, limit, turned in ((a, _endless(r, b), False), (b, _endless(r, a), True)):
        if limit is not None and CMPF[number] in ORDER:
            r.data[op.results[0]] = _Questions(r, op, x).beside(limit, number, turned)
            return True
    return False


def _endless(r: NestReader, name: str) -> float | None:
    """The infinity that a name is a constant of."""
    scalar = r.scalars.get(name)
    text = "" if scalar is None or scalar.literal is None else str(scalar.literal)
    return _ENDLESS.get(text, {"inf": inf, "-inf": -inf}.get(text))


class _Questions:
    """Truth values about the float `x`, each a name of the nest."""

    def __init__(self, r: NestReader, op: Any, x: str) -> None:
        self.r = r
        self.op = op
        self.x = x
        self.element = str(op.operands[0].type)

    def compared_with_itself(self, number: int) -> str:
        """A comparison of `x` with `x` by the predicate of this number: equal where `x` is no NaN."""
        holds, unordered = CMPF[number] in ("eq", "le", "ge", "true", "ord"), number >= _FIRST_UNORDERED
        if holds == unordered:
            return self._known(holds)
        return self._compare(_ORDERED if holds else _UNORDERED, self.x)

    def beside(self, limit: float, number: int, turned: bool) -> str:
        """A comparison of `x` with an infinity: by what it gives for numbers, both infinities, and NaN."""
        relation = ORDER[CMPF[number]]
        finite, most, least = (relation(*((limit, v) if turned else (v, limit))) for v in (0.0, inf, -inf))
        found = self._choice(self._positive, most, least)
        found = self._choose(self.nan(), self._known(number >= _FIRST_UNORDERED), found)
        return self._choose(self.finite(), self._known(finite), found)

    def finite(self) -> str:
        """Whether `x` is neither infinite nor NaN."""
        return self._compute("math.isfinite", (self.x,))

    def nan(self) -> str:
        """Whether `x` is NaN."""
        return self._compare(_UNORDERED, self.x)

    def infinite(self) -> str:
        """Whether `x` is one of both infinities."""
        none = self._known(False)
        return self._choose(self.finite(), none, self._choose(self.nan(), none, self._known(True)))

    def _positive(self) -> str:
        return self._compare(_GREATER, self.r.constant("0.0", self.element))

    def _choice(self, test: Callable[[], str], yes: bool, no: bool) -> str:
        return self._known(yes) if yes == no else self._choose(test(), self._known(yes), self._known(no))

    def _choose(self, test: str, yes: str, no: str) -> str:
        return self._compute("arith.select", (test, yes, no))

    def _known(self, truth: bool) -> str:
        return self.r.constant("1" if truth else "0", "i1")

    def _compare(self, number: int, other: str) -> str:
        return self._compute("arith.cmpf", (self.x, other), (("predicate", f"{number} : i64"),))

    def _compute(self, name: str, args: tuple[str, ...], attrs: tuple[tuple[str, str], ...] = ()) -> str:
        return self.r.computed(name, args, "i1", self.op, attrs)


_NAMED: dict[str, Callable[[_Questions], str]] = {
    "math.isfinite": _Questions.finite,
    "math.isnan": _Questions.nan,
    "math.isinf": _Questions.infinite,
}
