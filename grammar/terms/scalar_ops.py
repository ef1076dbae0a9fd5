"""HAND KNOWLEDGE: what the scalar operations of `arith` and `math` mean.

This table is the one place where operations are known by name. All of them
are scalar operations of MLIR's base dialects, in which every program and
every production is expressed after lowering; no target operation occurs.

A scalar operation acts on a pair (residue mod p, float64 shadow): equality is
decided on the residue, order on the shadow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from raising.affine.ir.real_functions import REALS
from raising.support.mlir.predicates import CMPF, CMPI, FIRST_UNSIGNED, number_of
from raising.support.record import dataclass


@dataclass(frozen=True)
class Scalar:
    """The meaning of one scalar operation.

    `residue` names what happens in the field: a ring or field operation, `same`,
    `root`, `greater`/`less` (keep one operand by order), `unsigned_greater` and
    `unsigned_less` (by the order of the bits), `magnitude`, `compare`, `select`,
    `logic` (on bits), `truth` (an uninterpreted truth value), or `opaque` (an uninterpreted function). `shadow` is its
    NumPy function on floats. `neutral` is the neutral element of an
    associative-commutative operation; all bits set is -1.
    """

    residue: str
    shadow: Callable[..., Any]
    neutral: float | None = None


def _truncdiv(a: Any, b: Any) -> Any:
    return np.trunc(a / b)


def _inverse_root(x: Any) -> Any:
    return 1.0 / np.sqrt(x)


def _shift_left(a: Any, b: Any) -> Any:
    return a * np.exp2(b)


def _shift_right(a: Any, b: Any) -> Any:
    return np.floor(a / np.exp2(b))


def _bits(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(a: Any, b: Any) -> Any:
        return function(np.asarray(a).astype(np.int64), np.asarray(b).astype(np.int64)).astype(float)

    return apply


def above(a: Any, b: Any) -> Any:
    """a > b for integers whose bits are read without sign: negative numbers are the large ones, whatever the width."""
    return np.where((a < 0) == (b < 0), a > b, a < 0)


_ROUND = float(1 << 40)  # stands for 2^width: beyond all samples, and sums of it are exact


def _without_sign(a: Any) -> Any:
    """The bits of an integer as an unsigned number, up to the width: in the order that `above` has."""
    return np.where(np.less(a, 0), np.add(a, _ROUND), a)


def _narrowed(a: Any) -> Any:
    """The last eight bits: not the number itself, so that a comparison tells the two apart."""
    return np.where(np.isfinite(a), np.mod(np.add(a, 128.0), 256.0) - 128.0, a)


def _unsigned_max(a: Any, b: Any) -> Any:
    return np.where(above(a, b), a, b)


def _unsigned_min(a: Any, b: Any) -> Any:
    return np.where(above(b, a), a, b)


def _leading_zeros(a: Any) -> Any:
    """The number of leading zeros of 32-bit integers."""
    bits = np.asarray(a).astype(np.int64) & 0xFFFFFFFF
    return np.vectorize(lambda n: float(32 - int(n).bit_length()), otypes=[float])(bits)


def _set_bits(a: Any) -> Any:
    """The number of set bits of 32-bit integers."""
    bits = np.asarray(a).astype(np.int64) & 0xFFFFFFFF
    return np.vectorize(lambda n: float(int(n).bit_count()), otypes=[float])(bits)


_SAME: Callable[[Any], Any] = lambda x: x  # noqa: E731

SCALARS: dict[str, Scalar] = {
    "arith.addf": Scalar("add", np.add, 0.0),
    "arith.addi": Scalar("add", np.add, 0.0),
    "arith.subf": Scalar("sub", np.subtract),
    "arith.subi": Scalar("sub", np.subtract),
    "arith.mulf": Scalar("mul", np.multiply, 1.0),
    "arith.muli": Scalar("mul", np.multiply, 1.0),
    "arith.divf": Scalar("div", np.divide),
    "arith.negf": Scalar("neg", np.negative),
    "math.fma": Scalar("fma", lambda a, b, c: a * b + c),
    "arith.maximumf": Scalar("greater", np.maximum, -np.inf),
    "arith.maxnumf": Scalar("greater", np.maximum, -np.inf),
    "arith.maxsi": Scalar("greater", np.maximum, -np.inf),
    "arith.minimumf": Scalar("less", np.minimum, np.inf),
    "arith.minnumf": Scalar("less", np.minimum, np.inf),
    "arith.minsi": Scalar("less", np.minimum, np.inf),
    "math.absf": Scalar("magnitude", np.abs),
    "math.absi": Scalar("magnitude", np.abs),
    "arith.cmpf": Scalar("compare", _SAME),
    "arith.cmpi": Scalar("compare", _SAME),
    "math.isfinite": Scalar("truth", np.isfinite),
    "arith.select": Scalar("select", np.where),
    "arith.maxui": Scalar("unsigned_greater", _unsigned_max, 0.0),
    "arith.minui": Scalar("unsigned_less", _unsigned_min, -1.0),
    "arith.andi": Scalar("logic", _bits(np.bitwise_and), -1.0),
    "arith.ori": Scalar("logic", _bits(np.bitwise_or), 0.0),
    "arith.xori": Scalar("logic", _bits(np.bitwise_xor), 0.0),
    "arith.extf": Scalar("same", _SAME),
    "arith.truncf": Scalar("same", _SAME),
    "arith.sitofp": Scalar("same", _SAME),
    "arith.uitofp": Scalar("opaque", _without_sign),
    "arith.index_cast": Scalar("same", _SAME),
    "arith.extsi": Scalar("opaque", _SAME),
    "arith.extui": Scalar("opaque", _without_sign),
    "arith.trunci": Scalar("opaque", _narrowed),
    "arith.fptosi": Scalar("opaque", np.trunc),
    "arith.fptoui": Scalar("opaque", np.trunc),
    "arith.divsi": Scalar("opaque", _truncdiv),
    "arith.divui": Scalar("opaque", lambda a, b: _truncdiv(_without_sign(a), _without_sign(b))),
    "arith.floordivsi": Scalar("opaque", np.floor_divide),
    "arith.remsi": Scalar("opaque", np.fmod),
    "arith.remui": Scalar("opaque", lambda a, b: np.fmod(_without_sign(a), _without_sign(b))),
    "arith.remf": Scalar("opaque", np.fmod),
    "arith.shli": Scalar("opaque", _shift_left),
    "arith.shrsi": Scalar("opaque", _shift_right),
    "arith.shrui": Scalar("opaque", lambda a, b: _shift_right(_without_sign(a), b)),
    "math.ctlz": Scalar("opaque", _leading_zeros),
    "math.ctpop": Scalar("opaque", _set_bits),
    "math.sqrt": Scalar("root", np.sqrt),
    "math.rsqrt": Scalar("inverse_root", _inverse_root),
    "math.round": Scalar("opaque", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
}
SCALARS |= {op: Scalar("opaque", row.on_arrays) for op, row in REALS.items() if op not in SCALARS}

CASTS = frozenset(
    f"arith.{n}"
    for n in ("extf", "truncf", "sitofp", "uitofp", "fptosi", "fptoui", "extsi", "extui", "trunci", "index_cast")
)


def predicate(op: str, attrs: tuple[tuple[str, str], ...]) -> str:
    """The comparison that a compare operation makes: `eq ne lt le gt ge`, `true`, `false`, or `ord`/`uno` (on NaN)."""
    number = number_of(attrs)
    return CMPF[number] if op.endswith("f") else CMPI[number]


def is_unsigned(op: str, attrs: tuple[tuple[str, str], ...]) -> bool:
    """True if a compare operation reads the bits of integers without sign."""
    return not op.endswith("f") and number_of(attrs) >= FIRST_UNSIGNED


SELECT = next(name for name, s in SCALARS.items() if s.residue == "select")


@cache
def combiners() -> frozenset[str]:
    """The associative and commutative operations, the ones a reduction may use."""
    return frozenset(name for name, s in SCALARS.items() if s.neutral is not None)


def neutral(op: str) -> float:
    """The neutral element of a combiner; KeyError or TypeError for anything else."""
    value = SCALARS[op].neutral
    if value is None:
        raise TypeError(f"{op} has no neutral element")
    return value


# g = op(x, hole) or op(hole, x) solved for the hole: {residue kind: (hole is first, hole is second)},
# each the scalar kind that takes (g, x), with "flip" for the operands exchanged.
INVERSES: dict[str, tuple[tuple[str, bool], tuple[str, bool]]] = {
    "add": (("sub", False), ("sub", False)),
    "sub": (("add", False), ("sub", True)),
    "mul": (("div", False), ("div", False)),
    "div": (("mul", False), ("div", True)),
}
