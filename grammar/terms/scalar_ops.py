"""HAND KNOWLEDGE: what the scalar operations of `arith` and `math` mean.

This table, with the rows of `integer_functions` and `real_functions` in
`raising.affine.ir`, is the one place where operations are known by name. All
of them are scalar operations of MLIR's base dialects, in which every program
and every production is expressed after lowering; no target operation occurs.

A scalar operation acts on a pair (residue mod p, float64 shadow): equality is
decided on the residue, order on the shadow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from raising.affine.ir.integer_functions import INTEGERS, without_sign
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


def _inverse_root(x: Any) -> Any:
    return 1.0 / np.sqrt(x)


_SAME: Callable[[Any], Any] = lambda x: x  # noqa: E731

SCALARS: dict[str, Scalar] = {
    "arith.addf": Scalar("add", np.add, 0.0),
    "arith.subf": Scalar("sub", np.subtract),
    "arith.mulf": Scalar("mul", np.multiply, 1.0),
    "arith.divf": Scalar("div", np.divide),
    "arith.negf": Scalar("neg", np.negative),
    "math.fma": Scalar("fma", lambda a, b, c: a * b + c),
    "arith.maximumf": Scalar("greater", np.maximum, -np.inf),
    "arith.maxnumf": Scalar("greater", np.maximum, -np.inf),
    "arith.minimumf": Scalar("less", np.minimum, np.inf),
    "arith.minnumf": Scalar("less", np.minimum, np.inf),
    "math.absf": Scalar("magnitude", np.abs),
    "arith.cmpf": Scalar("compare", _SAME),
    "arith.cmpi": Scalar("compare", _SAME),
    "math.isfinite": Scalar("truth", np.isfinite),
    "arith.extf": Scalar("same", _SAME),
    "arith.truncf": Scalar("same", _SAME),
    "arith.sitofp": Scalar("opaque", _SAME),  # integers wrap around, and floats do not
    "arith.uitofp": Scalar("opaque", without_sign),
    "arith.fptosi": Scalar("opaque", np.trunc),
    "arith.fptoui": Scalar("opaque", np.trunc),
    "arith.remf": Scalar("opaque", np.fmod),
    "math.sqrt": Scalar("root", np.sqrt),
    "math.rsqrt": Scalar("inverse_root", _inverse_root),
    "math.round": Scalar("opaque", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
}
SCALARS |= {op: Scalar(row.field, row.on_arrays, row.neutral) for op, row in INTEGERS.items() if row.numpy}
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


def as_sum(op: str) -> tuple[str, str] | None:
    """The sum and the negation of which a difference of floats is made: a - b is a + -b, to the bit."""
    if op not in SCALARS or SCALARS[op].residue != "sub" or not op.endswith("f"):
        return None
    add, negate = (next(name for name, s in SCALARS.items() if s.residue == residue) for residue in ("add", "neg"))
    return add, negate


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
