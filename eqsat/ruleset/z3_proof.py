"""Rules proved by z3 at bounded shapes: over the real numbers, and for integers of a few bits.

Functions other than arithmetic are uninterpreted. Divisors are not zero; for integers, an expression that has no
defined result on the left (a division by zero, a shift by more bits than there are) is left out, and must not appear on
the right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import z3

from raising.eqsat.ruleset.algebra import INT, Shape
from raising.eqsat.ruleset.evaluate import Arithmetic, evaluate, random_array
from raising.eqsat.ruleset.expression import Number, number_names, walk
from raising.eqsat.ruleset.table import Directed
from raising.grammar.terms.bit_vectors import BITS, defined
from raising.grammar.terms.scalar_ops import SCALARS

STEPS = 3_000_000  # of z3, about two seconds; a time would make what is said depend on the machine
WIDTHS = (4, 8, 12, 16, 32)  # the first two that hold all constants of a rule are taken
Said = str | tuple[str, tuple[tuple[str, str], ...]]
"""What z3 says: `proved …`, `undecided`, or the kind of numbers and a counterexample."""


def proved(rule: Directed, shapes: Sequence[Mapping[str, Shape]]) -> Said:
    """Ask z3 about one direction of a rule at some shapes."""
    numbers = _samples(rule)
    widths = _widths(rule) if rule.kind == INT else [0]
    if not widths:
        return "undecided"
    attempts = [(w, s, n) for w in widths for s in shapes for n in numbers]
    said: set[str] = set()
    for width, shape, values in attempts:
        found = _at(rule, width, shape, values)
        if isinstance(found, tuple):
            return found
        said.add(found)
    if "undecided" in said:
        return "undecided"
    what = f"integers of {' and '.join(map(str, widths))} bits" if rule.kind == INT else "real numbers"
    return f"proved for {what} at {len(shapes)} shapes"


def _widths(rule: Directed) -> list[int]:
    values = [abs(e.value) for side in (rule.left, rule.right) for e in walk(side) if isinstance(e, Number)]
    return [w for w in WIDTHS if all(v < 1 << (w - 1) for v in values)][:2]


def _samples(rule: Directed) -> list[dict[str, float]]:
    names = number_names(rule.left)
    values = (2.0, 3.0) if rule.kind == INT else (2.0, 0.5)
    return [{n: values[(k + shift) % 2] for k, n in enumerate(names)} for shift in range(2 if names else 1)]


def _at(rule: Directed, width: int, shapes: Mapping[str, Shape], numbers: Mapping[str, float]) -> Said:
    arithmetic = _Integers(width) if width else _Reals()
    how = Arithmetic(rule.kind, arithmetic.scalar, arithmetic.literal)
    arrays = {}
    for name, shape in shapes.items():
        names = (f"{name}{k}" for k in itertools.count())
        arrays[name] = random_array(shape, partial(_variable, arithmetic, names))
    left = evaluate(rule.left, arrays, numbers, how)
    given = list(arithmetic.defined)
    right = evaluate(rule.right, arrays, numbers, how)
    asked = arithmetic.defined[len(given) :]
    if not width:
        given, asked = given + asked, []
    differ = [z3.simplify(a != b, som=True) for a, b in zip(left.flat, right.flat, strict=True)]
    if not asked and all(z3.is_false(d) for d in differ):
        return "proved"
    solver = z3.Solver()
    solver.set("rlimit", STEPS)
    solver.add(*given, z3.Or(*differ, *(z3.Not(a) for a in asked)))
    answer = solver.check()
    if answer == z3.sat and not arithmetic.uninterpreted:
        model = solver.model()
        values = [
            (n, ", ".join(_shown(model.eval(x, model_completion=True)) for x in a.flat)) for n, a in arrays.items()
        ]
        return (f"integers of {width} bits" if width else "real numbers", tuple(values))
    return "proved" if answer == z3.unsat else "undecided"


def _variable(arithmetic: _Reals | _Integers, names: Iterator[str]) -> Any:
    return arithmetic.variable(next(names))


def _shown(value: Any) -> str:
    return str(value.as_signed_long()) if z3.is_bv(value) else str(value)


class _Reals:
    """Real numbers: `defined` are the conditions under which everything computed has a value."""

    def __init__(self) -> None:
        self.defined: list[Any] = []
        self.uninterpreted = False

    def variable(self, name: str) -> Any:
        return z3.Real(name)

    def literal(self, value: float | Fraction) -> Any:
        return z3.Q(*value.as_integer_ratio())

    def scalar(self, op: str, args: Sequence[Any]) -> Any:
        kind = SCALARS[op].residue
        if kind == "div":
            self.defined.append(args[1] != 0)
        if kind in _REAL:
            return _REAL[kind](*args)
        self.uninterpreted = True
        function = z3.Function(op, *[z3.RealSort()] * (len(args) + 1))
        return function(*args)


_REAL: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
    "greater": lambda a, b: z3.If(a >= b, a, b),
    "less": lambda a, b: z3.If(a <= b, a, b),
    "magnitude": lambda a: z3.If(a >= 0, a, -a),
    "select": lambda c, a, b: z3.If(c != 0, a, b),
}


class _Integers:
    """Integers of a width, as the machine has them."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.defined: list[Any] = []
        self.uninterpreted = False

    def variable(self, name: str) -> Any:
        return z3.BitVec(name, self.width)

    def literal(self, value: float | Fraction) -> Any:
        return z3.BitVecVal(int(value), self.width)

    def scalar(self, op: str, args: Sequence[Any]) -> Any:
        self.defined += defined(op, args)
        if op in BITS:
            return BITS[op](*args)
        self.uninterpreted = True
        return z3.Function(op, *[z3.BitVecSort(self.width)] * (len(args) + 1))(*args)
