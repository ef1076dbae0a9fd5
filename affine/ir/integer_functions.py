"""Operations on integers: one row for each operation of MLIR, with what every stage has to know of it.

A new operation is a row. All checks, the search and the e-graph read it: exact numbers, spans, bit vectors of z3,
arrays of NumPy. Results of `exact` and `span` are those of exact integers, which the reader of the row wraps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cached_property
from typing import Any

from raising.affine.ir import spans
from raising.affine.ir.spans import Span
from raising.support.record import dataclass

Function = Callable[..., Any]


@dataclass(frozen=True)
class IntegerFunction:
    """One row: an operation on integers of one type, or a cast of one integer.

    `exact` takes numbers of Python, read without sign where `unsigned` says so (amounts of shifts always are), and the
    width of the type if `of_width`. `span` gives the span of a result from those of the operands, None where nothing is
    known. `z3` and `numpy` name a function of bit vectors and one of arrays of floats there, or take the module and
    give the function; without one, z3 knows the operation by its name only, and the search not at all. `field` says how
    the search takes it (`raising.grammar.terms.scalar_ops`), `neutral` is its neutral element there, and on operands in
    `small` (one range each, without its end) the result is the same in every type. Of a `division`, the divisor is not
    0, and where `least`, the least number is not divided by -1; a `shift` is by less than the width. `c` is the name of
    a count's builtin in C, without `__builtin_` and the suffix of the type.
    """

    op: str
    exact: Callable[..., Any]
    unsigned: bool = False
    of_width: bool = False
    cast: bool = False
    division: bool = False
    least: bool = False
    shift: bool = False
    span: Callable[..., Span | None] | None = None
    z3: Callable[[Any], Function] | str = ""
    numpy: Callable[[Any], Function] | str = ""
    field: str = "opaque"
    neutral: float | None = None
    small: tuple[tuple[int, int], ...] = ()
    c: str = ""

    @cached_property
    def on_bits(self) -> Function:
        """The function of bit vectors of z3; where the operation has no result, that of z3 means nothing."""
        import z3  # a table for programs that start often

        return _found(self.z3, z3)

    @cached_property
    def on_arrays(self) -> Function:
        """The function of arrays of floats, element by element."""
        import numpy as np

        return _found(self.numpy, np)


def _found(column: Callable[[Any], Function] | str, module: Any) -> Function:
    function: Function = getattr(module, column) if isinstance(column, str) else column(module)
    return function


# ---- columns -----------------------------------------------------------------------------------------


def _same(a: Any) -> Any:
    return a


def _ceiling(a: int, b: int) -> int:
    """The quotient rounded up."""
    return -(-a // b)


def _floored_bits(z: Any) -> Function:
    return lambda a, b: z.If(z.And(z.SRem(a, b) != 0, (a < 0) != (b < 0)), a / b - 1, a / b)


def _first(of: Callable[[int], int]) -> Callable[[Any], Function]:
    """The least k of which bit `of(k)` is set, counted from the lowest (0) or down from the highest (-1); else the
    width."""

    def on_bits(z: Any) -> Function:
        def apply(a: Any) -> Any:
            width = a.size()
            found = z.BitVecVal(width, width)
            for k in reversed(range(width)):
                place = of(k) % width
                found = z.If(z.Extract(place, place, a) == 1, z.BitVecVal(k, width), found)
            return found

        return apply

    return on_bits


def _set_bits(z: Any) -> Function:
    return lambda a: sum(z.LShR(a, k) & 1 for k in range(a.size()))


def above(a: Any, b: Any) -> Any:
    """a > b for integers whose bits are read without sign: negative numbers are the large ones, whatever the width."""
    import numpy as np

    return np.where((a < 0) == (b < 0), a > b, a < 0)


_ROUND = float(1 << 40)  # stands for 2^width: beyond all samples, and sums of it are exact


def without_sign(a: Any) -> Any:
    """The bits of integers in floats as unsigned numbers, up to the width: in the order that `above` has."""
    import numpy as np

    return np.where(np.less(a, 0), np.add(a, _ROUND), a)


def _narrowed(np: Any) -> Function:
    """The last eight bits: not the number itself, so that a comparison tells the two apart."""
    return lambda a: np.where(np.isfinite(a), np.mod(np.add(a, 128.0), 256.0) - 128.0, a)


def _on_words(function: Callable[[Any, Any], Any]) -> Callable[[Any], Function]:
    """A function of bits of words for floats."""
    return lambda np: (
        lambda a, b: function(np.asarray(a).astype(np.int64), np.asarray(b).astype(np.int64)).astype(float)
    )


def _of_32_bits(count: Callable[[int, int], int]) -> Callable[[Any], Function]:
    """A count in the bits of integers of 32 bits, for floats."""

    def on_arrays(np: Any) -> Function:
        each = np.vectorize(lambda n: float(count(int(n), 32)), otypes=[float])
        return lambda a: each(np.asarray(a).astype(np.int64) & 0xFFFFFFFF)

    return on_arrays


# ---- rows --------------------------------------------------------------------------------------------


def _arith(name: str, exact: Callable[..., Any], **columns: Any) -> IntegerFunction:
    return IntegerFunction(f"arith.{name}", exact, **columns)


def _corners(name: str, exact: Callable[[int, int], int], **columns: Any) -> IntegerFunction:
    """A row of a function of which the extremes over a box are at its corners."""
    span = spans.monotone(exact)
    return _arith(name, exact, span=spans.unsigned(span) if "unsigned" in columns else span, **columns)


def _quotient(name: str, exact: Callable[[int, int], int], **columns: Any) -> IntegerFunction:
    span = spans.quotient(exact)
    return _arith(name, exact, division=True, span=spans.unsigned(span) if "unsigned" in columns else span, **columns)


def _logic(name: str, function: Callable[[Any, Any], Any], **columns: Any) -> IntegerFunction:
    words = _on_words(function)
    return _arith(name, function, z3=lambda _: function, numpy=words, field="logic", **columns)


def _count(name: str, exact: Callable[[int, int], int], **columns: Any) -> IntegerFunction:
    return IntegerFunction(f"math.{name}", exact, unsigned=True, of_width=True, numpy=_of_32_bits(exact), **columns)


def _cast(name: str, **columns: Any) -> IntegerFunction:
    return _arith(name, _same, cast=True, **columns)


_EVERY = 128  # integers of every type but truth values are below
_SIGNED, _UNSIGNED, _DIVISOR, _BY = (-127, _EVERY), (0, _EVERY), (1, _EVERY), (0, 8)
_ALL = float("inf")

_ROWS = (
    _corners("addi", operator.add, z3=lambda _: operator.add, numpy="add", field="add", neutral=0.0),
    _corners("subi", operator.sub, z3=lambda _: operator.sub, numpy="subtract", field="sub"),
    _corners("muli", operator.mul, z3=lambda _: operator.mul, numpy="multiply", field="mul", neutral=1.0),
    _corners(
        "maxsi",
        max,
        z3=lambda z: lambda a, b: z.If(a >= b, a, b),
        numpy="maximum",
        field="greater",
        neutral=-_ALL,
    ),
    _corners(
        "minsi",
        min,
        z3=lambda z: lambda a, b: z.If(a <= b, a, b),
        numpy="minimum",
        field="less",
        neutral=_ALL,
    ),
    _corners(
        "maxui",
        max,
        unsigned=True,
        z3=lambda z: lambda a, b: z.If(z.UGE(a, b), a, b),
        numpy=lambda np: lambda a, b: np.where(above(a, b), a, b),
        field="unsigned_greater",
        neutral=0.0,
    ),
    _corners(
        "minui",
        min,
        unsigned=True,
        z3=lambda z: lambda a, b: z.If(z.ULE(a, b), a, b),
        numpy=lambda np: lambda a, b: np.where(above(b, a), a, b),
        field="unsigned_less",
        neutral=-1.0,
    ),
    _quotient(
        "divsi",
        spans.truncated,
        least=True,
        z3=lambda _: operator.truediv,
        numpy=lambda np: lambda a, b: np.trunc(a / b),
        small=(_SIGNED, _DIVISOR),
    ),
    _quotient(
        "divui",
        operator.floordiv,
        unsigned=True,
        z3="UDiv",
        numpy=lambda np: lambda a, b: np.trunc(without_sign(a) / without_sign(b)),
        small=(_UNSIGNED, _DIVISOR),
    ),
    _quotient(
        "floordivsi",
        operator.floordiv,
        least=True,
        z3=_floored_bits,
        numpy="floor_divide",
        small=(_SIGNED, _DIVISOR),
    ),
    _quotient("ceildivsi", _ceiling, least=True),
    _quotient("ceildivui", _ceiling, unsigned=True),
    _arith(
        "remsi",
        lambda a, b: a - b * spans.truncated(a, b),
        division=True,
        least=True,
        span=spans.remainder,
        z3="SRem",
        numpy="fmod",
        small=(_SIGNED, _DIVISOR),
    ),
    _arith(
        "remui",
        operator.mod,
        division=True,
        unsigned=True,
        span=spans.unsigned(spans.remainder),
        z3="URem",
        numpy=lambda np: lambda a, b: np.fmod(without_sign(a), without_sign(b)),
        small=(_UNSIGNED, _DIVISOR),
    ),
    _logic("andi", operator.and_, span=spans.common_bits, neutral=-1.0),
    _logic("ori", operator.or_, span=spans.all_bits, neutral=0.0),
    _logic("xori", operator.xor, span=spans.all_bits, neutral=0.0),
    _arith(
        "shli",
        operator.lshift,
        shift=True,
        span=spans.shifted(operator.lshift),
        z3=lambda _: operator.lshift,
        numpy=lambda np: lambda a, b: a * np.exp2(b),
        small=(_UNSIGNED, _BY),
    ),
    _arith(
        "shrsi",
        operator.rshift,
        shift=True,
        span=spans.shifted(operator.rshift),
        z3=lambda _: operator.rshift,
        numpy=lambda np: lambda a, b: np.floor(a / np.exp2(b)),
        small=(_SIGNED, _BY),
    ),
    _arith(
        "shrui",
        operator.rshift,
        shift=True,
        unsigned=True,
        span=spans.unsigned(spans.shifted(operator.rshift)),
        z3="LShR",
        numpy=lambda np: lambda a, b: np.floor(without_sign(a) / np.exp2(b)),
        small=(_UNSIGNED, _BY),
    ),
    _count("ctlz", c="clz", exact=lambda a, bits: bits - a.bit_length(), z3=_first(lambda k: -1 - k)),
    _count(
        "cttz",
        c="ctz",
        exact=lambda a, bits: (a & -a).bit_length() - 1 if a else bits,
        z3=_first(lambda k: k),
        small=(_DIVISOR,),
    ),
    _count("ctpop", c="popcount", exact=lambda a, bits: a.bit_count(), z3=_set_bits, small=(_UNSIGNED,)),
    IntegerFunction(
        "math.absi",
        abs,
        span=spans.magnitude,
        z3=lambda z: lambda a: z.If(a >= 0, a, -a),
        numpy="abs",
        field="magnitude",
    ),
    _arith(
        "select",
        lambda c, a, b: a if c else b,
        span=spans.either,
        z3=lambda z: lambda c, a, b: z.If(c != 0, a, b),
        numpy="where",
        field="select",
    ),
    _cast("extsi", span=_same, numpy=lambda _: _same, small=(_SIGNED,)),
    _cast("extui", unsigned=True, numpy=lambda _: without_sign, small=(_UNSIGNED,)),
    _cast("trunci", numpy=_narrowed, small=((0, 2),)),
    _cast("index_cast", span=_same, numpy=lambda _: _same, field="same"),
    _cast("index_castui", unsigned=True),
)

INTEGERS = {row.op: row for row in _ROWS}
COUNTS_BY_C = {row.c: row for row in _ROWS if row.c}
SPANS = {row.op: row.span for row in _ROWS if row.span is not None}
DIVISIONS = {row.op: row.least for row in _ROWS if row.division}
"""Operations that must not divide by zero; True where the least number must not be divided by -1 either."""
SHIFTS = tuple(row.op for row in _ROWS if row.shift)
"""Operations that must not shift by the width or more."""
