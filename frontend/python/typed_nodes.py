"""Values of Python as expressions of the core: their kinds, and how one becomes another."""

from __future__ import annotations

from math import isfinite

import numpy as np

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64, Int
from raising.frontend.lower.ir.module import Refused
from raising.frontend.python.module import Number
from raising.frontend.python.types import FLOAT, INT, Kind, of_both
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Typed:
    """An expression of the core and its kind; `number` is its value if it is a constant.

    A constant may be too large for its kind until it meets another one, so `node` is asked for by `converted`.
    """

    node: ex.Expr
    kind: Kind
    number: Number | None = None

    def converted(self, kind: Kind, loc: Loc) -> ex.Expr:
        """The expression as one of another kind, or of its own; `Refused` for a constant that the kind has not."""
        if kind.is_complex and not self.kind.is_complex:
            real = self.converted(kind.part, loc)
            return ex.MakeComplex(real, ex.Literal(0.0, kind.part.core, loc), kind.core, loc)
        if self.number is not None and not kind.is_bool and (kind.is_float or isinstance(self.number, int)):
            if not kind.is_float and not fits(self.number, kind):
                raise Refused(loc, f"{self.number} is no {kind.dtype}")
            return literal(self.number, kind, loc)
        return build.convert(self.node, kind.core, loc)


def constant(number: Number, loc: Loc) -> Typed:
    """A constant of Python."""
    if isinstance(number, int):
        return Typed(ex.Literal(build.wrapped(number, I64), I64, loc), INT, number)
    return Typed(literal(number, FLOAT, loc), FLOAT, number)


def compared(left: Typed, right: Typed, loc: Loc) -> Kind:
    """The kind in which two values are compared: NumPy takes integers of Python by value, in no narrow type."""
    kind = of_both(left.kind, right.kind)
    weak = next((v for v in (left, right) if v.kind.weak), None)
    if weak is None and kind.is_float and not left.kind.is_float and not right.kind.is_float:
        raise Refused(loc, f"a comparison of {left.kind.dtype} with {right.kind.dtype}, which no type has both of")
    if weak is None or kind.weak or kind.is_float or kind.is_bool or kind.is_complex:
        return kind
    if fits(weak.number, kind) if weak.number is not None else kind.dtype == "int64":
        return kind
    if kind.dtype == "uint64":
        raise Refused(loc, "a comparison of uint64 with an integer that may be negative")
    return Kind("int64")


def literal(number: Number, kind: Kind, loc: Loc) -> ex.Literal:
    """A constant of the core: the integer, or the float that is nearest to the double of the number."""
    if not kind.is_float:
        return ex.Literal(int(number), kind.core, loc)
    with np.errstate(over="ignore"):
        value = float(np.float32(float(number))) if kind.dtype == "float32" else float(number)
    return ex.Literal(value, kind.core, loc)


def fits(number: Number, kind: Kind) -> bool:
    """Whether a kind has a number, up to the rounding of its digits."""
    t = kind.core
    if isinstance(t, Int):
        return isinstance(number, int) and t.range[0] <= number <= t.range[1]
    return not isfinite(number) or abs(number) <= float(np.finfo(kind.dtype).max)


def chosen(test: ex.Expr, yes: Typed, no: Typed, kind: Kind, loc: Loc) -> Typed:
    """`yes` where the truth value holds, else `no`, in one kind."""
    sides = yes.converted(kind, loc), no.converted(kind, loc)
    if kind.is_complex:
        pairs = [[build.part(side, k, loc) for side in sides] for k in (0, 1)]
        halves = [ex.Select(test, a, b, kind.part.core, loc) for a, b in pairs]
        return Typed(ex.MakeComplex(halves[0], halves[1], kind.core, loc), kind)
    return Typed(ex.Select(test, *sides, kind.core, loc), kind)


def called(name: str, arguments: list[ex.Expr], kind: Kind, loc: Loc) -> Typed:
    """A function without effects that the core knows, of numbers of one kind."""
    return Typed(build.intrinsic(name, tuple(arguments), loc), kind)
