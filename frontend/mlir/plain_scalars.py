"""Scalar operations that are others in disguise: those on truth values, of which 1 is -1 with its sign; `copysign`.

A constant at another width is a constant: as an operation of a constant it would be no number that an element is equal
to, and what a comparison with it chooses would not be seen.
"""

from __future__ import annotations

from typing import Any

from raising.affine.ir.program import Compute, Scalar
from raising.frontend.mlir.attributes import location
from raising.frontend.mlir.classes_of_floats import read_class
from raising.frontend.mlir.loop_nest import NestReader
from raising.support.mlir.predicates import number_of

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

_WIDTHS = ("arith.extsi", "arith.extui", "arith.trunci")

_ZEROS = {"0.0": "-0.0", "-0.0": "0.0"}
"""The opposites of zeros, which are equal to them and have another sign."""


def read_plain(r: NestReader, op: Any, attrs: tuple[tuple[str, str], ...]) -> None:
    """A scalar operation on data, as the plain operation that it is."""
    if read_class(r, op, attrs):
        return None
    if op.name == "arith.negf" and (zero := _literal(r, op.operands[0])) in _ZEROS:
        r.data[op.results[0]] = name = r.fresh("x")
        r.scalars[name] = Scalar(name, str(op.results[0].type), _ZEROS[str(zero)])
        return None
    if (number := _converted(r, op)) is not None:
        r.data[op.results[0]] = name = r.fresh("x")
        r.scalars[name] = Scalar(name, str(op.results[0].type), str(number))
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
    element, where = str(op.results[0].type), location(op)
    size = r.fresh("v")
    r.nodes.append(Compute(size, "math.absf", (r.name_of(op.operands[0], op),), (), element, where))
    r.data[op.results[0]] = size
    if negative:
        r.data[op.results[0]] = r.fresh("v")
        r.nodes.append(Compute(r.data[op.results[0]], "arith.negf", (size,), (), element, where))
