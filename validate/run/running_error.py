"""Running error analysis: each float beside a bound on how far it is from the exact result.

Two programs that are equal in the reals give floats a and b with
|a - b| <= e_a + e_b, whatever the order of their sums; a relative tolerance
has no such meaning (Wilkinson 1963; Higham 2002, section 3.3).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from raising.affine.ir.integer_types import is_integer, width, wrapped
from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.ir.real_functions import REALS, RealFunction
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.mlir.predicates import ORDER
from raising.support.record import dataclass
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.concrete import Reals
from raising.validate.arithmetic.integers import Undefined
from raising.validate.base.verdict import FloatEvidence, Refuted, Unknown
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.replay import counterexample
from raising.validate.run.run import Element, Given, Leaf, TooLarge, output_elements, run_both, sizes_text
from raising.validate.run.strict_operations import same_operations

Rounded = tuple[float, float]
"""A float of its type's precision, and a bound on its distance from the exact number."""


@dataclass(frozen=True)
class FloatType:
    """A type of floats: the bits of its significand, the exponent of its least number, and NumPy's name for it."""

    digits: int
    least: int
    numpy: type[np.floating[Any]]


FLOATS = {
    "f64": FloatType(53, -1074, np.float64),
    "f32": FloatType(24, -149, np.float32),
    "f16": FloatType(11, -24, np.float16),
}
"""The types of floats whose rounding is known."""

UNIT = {name: 2.0**-kind.digits for name, kind in FLOATS.items()}
"""The unit roundoff of each type."""

TINY = {name: 2.0**kind.least for name, kind in FLOATS.items()}

_SLACK = 1.0 + 2.0**-40
"""For the rounding of the bounds themselves."""

_DRAWN_AGAIN = 20
SAMPLES = 3


def rounded(value: float, error: float, element: str) -> Rounded:
    """A result computed exactly from its operands, rounded to its type."""
    number = stored(value, element)
    return number, (error + UNIT[element] * abs(number)) * _SLACK + TINY[element]


def stored(value: float, element: str) -> float:
    """The float of a type that is nearest to a number; `Unsupported` if nothing is known of how that type rounds."""
    if element not in FLOATS:
        raise Unsupported(f"rounding of {element}")
    with np.errstate(all="ignore"):
        return float(FLOATS[element].numpy(value))


def apply(op: str, args: Sequence[Rounded], element: str) -> Rounded:
    """One operation on floats with their bounds."""
    kind = SCALARS[op].residue if op in SCALARS else ""
    if kind in _EXACT:
        return _EXACT[kind](*args)
    if op == "arith.extf":
        return args[0]
    if kind in _RULES:
        value, error = _RULES[kind](*args)
        return rounded(value, error, element)
    row = REALS.get(op)
    if row is not None and (row.gentle or row.rising):
        return _function(row, args[0], element)
    if kind == "same":
        return rounded(*args[0], element)
    raise Unsupported(f"operation '{op}' has no error bound")


def _product(a: Rounded, b: Rounded) -> Rounded:
    return a[0] * b[0], abs(a[0]) * b[1] + abs(b[0]) * a[1] + a[1] * b[1]


def _quotient(a: Rounded, b: Rounded) -> Rounded:
    least = abs(b[0]) - b[1]
    if least <= 0:
        raise Undefined("a divisor that may be zero")
    value = a[0] / b[0]
    return value, (a[1] + abs(value) * b[1]) / least


def _root(a: Rounded) -> Rounded:
    if a[0] - a[1] < 0:
        raise Undefined("the root of a number that may be negative")
    value = math.sqrt(a[0])
    return value, max(value - math.sqrt(a[0] - a[1]), math.sqrt(a[0] + a[1]) - value)


_RULES: dict[str, Callable[..., Rounded]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] + b[1]),
    "mul": _product,
    "div": _quotient,
    "root": _root,
    "inverse_root": lambda a: _quotient((1.0, 0.0), _root(a)),
    "fma": lambda a, b, c: (_product(a, b)[0] + c[0], _product(a, b)[1] + c[1]),
}
_EXACT: dict[str, Callable[..., Rounded]] = {
    "neg": lambda a: (-a[0], a[1]),
    "magnitude": lambda a: (abs(a[0]), a[1]),
    "greater": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "less": lambda a, b: (min(a[0], b[0]), max(a[1], b[1])),
}


def _function(row: RealFunction, a: Rounded, element: str) -> Rounded:
    try:
        value = row.on_float(a[0])
        error = a[1] if row.gentle else max(abs(row.on_float(a[0] + d) - value) for d in (-a[1], a[1]))
    except (ValueError, OverflowError) as problem:
        raise Undefined(str(problem)) from problem
    return rounded(value, error + 2 * row.ulps * UNIT.get(element, 0.0) * abs(value), element)


def _compare(name: str, a: Rounded, b: Rounded) -> int:
    if abs(a[0] - b[0]) <= a[1] + b[1] and a[1] + b[1] > 0:
        raise Undefined("a comparison that rounding decides")
    return int(ORDER[name](a[0], b[0]))


def _literal(value: Fraction | float, element: str) -> Rounded:
    """A constant is the float it is written as; an integer may have to be rounded."""
    if isinstance(value, float):
        return value, 0.0
    number = stored(float(value), element)
    return number, abs(float(Fraction(number) - value)) * _SLACK


def _truncated(a: Rounded) -> int:
    if math.trunc(a[0] - a[1]) != math.trunc(a[0] + a[1]):
        raise Undefined("a conversion that rounding decides")
    return math.trunc(a[0])


ROUNDED: Reals[Rounded] = Reals(apply, _compare, _literal, _truncated)


def check_float(pair: Pair, assumed: Assumptions, sizes: Mapping[str, int]) -> FloatEvidence | Refuted | Unknown:
    """Run both on random floats at these sizes: every difference has to be within the two bounds."""
    ratio, accuracy, relative = 0.0, 0.0, 0.0
    try:
        for k in range(SAMPLES):
            found = _sample(pair, assumed, sizes, f"0 {k}")
            if isinstance(found, str):
                example = counterexample(pair, assumed)
                return Refuted(found if example is None else example.text(), example)
            ratio, accuracy, relative = (max(x, y) for x, y in zip((ratio, accuracy, relative), found, strict=True))
        exact = same_operations(pair, assumed, sizes)
    except (Unsupported, Undefined, OutOfBounds, TooLarge) as error:
        return Unknown(str(error))
    return FloatEvidence(sizes_text(sizes), relative, 0.0, 0.0, "", ratio, accuracy, exact)


def check_float_at(
    pair: Pair, assumed: Assumptions, vectors: Iterable[Mapping[str, int]]
) -> FloatEvidence | Refuted | Unknown:
    """The same at several sizes: the first answer that is no evidence, or the evidence that used most of its bounds."""
    found: list[FloatEvidence] = []
    for sizes in vectors:
        one = check_float(pair, assumed, sizes)
        if not isinstance(one, FloatEvidence):
            return one
        found.append(one)
    worst = max(found, key=lambda one: one.ratio or 0.0)
    return replace(worst, exact=all(one.exact for one in found))


def _sample(pair: Pair, assumed: Assumptions, sizes: Mapping[str, int], seed: str) -> tuple[float, float, float] | str:
    """The largest |a - b| / (e_a + e_b), e_b / e_a and relative difference, or which element is outside."""
    reason = ""
    for k in range(_DRAWN_AGAIN):
        given = Given(partial(draw, dice=random.Random(f"{seed} {k}")))
        try:
            memories = run_both(pair, sizes, partial(concrete.arithmetic, reals=ROUNDED), given.__getitem__, assumed)
        except Undefined as error:
            reason = str(error)
            continue
        return _compared(output_elements(pair, memories))
    raise Undefined(reason)


def draw(leaf: Leaf, dice: random.Random) -> Any:
    """A number away from zero, larger on a diagonal, so that quotients and roots are defined; with no error."""
    if is_integer(leaf.element):
        return wrapped(dice.randint(1, 9), leaf.element) if width(leaf.element) > 1 else dice.randint(0, 1)
    more = 20.0 if len(set(leaf.index)) < len(leaf.index) else 0.0
    return stored(dice.uniform(0.5, 1.5) + more, leaf.element), 0.0


def _compared(elements: Iterable[Element]) -> tuple[float, float, float] | str:
    ratio, accuracy, relative = 0.0, 0.0, 0.0
    for e in elements:
        a, b = e.source, e.target
        if not isinstance(a, tuple):
            apart, bound = float(a != b), 0.0
        else:
            apart, bound = (0.0 if a[0] == b[0] else abs(a[0] - b[0])), a[1] + b[1]
            if not math.isfinite(apart + bound):
                raise Undefined("numbers that overflow")
            accuracy = max(accuracy, b[1] / a[1] if a[1] else 1.0)
            relative = max(relative, apart / max(abs(a[0]), 1e-300))
        if not apart <= bound:
            return f"{e.place} differs by {apart:.3g} where rounding explains {bound:.3g}"
        ratio = max(ratio, apart / bound if apart else 0.0)
    return ratio, accuracy, relative
