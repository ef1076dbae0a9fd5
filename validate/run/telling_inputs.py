"""Inputs on which two programs may differ: small numbers, extremes, the programs' own constants, and how these meet."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from raising.affine.ir.integer_types import is_integer, limits, width, wrapped
from raising.affine.ir.program import Program
from raising.validate.arithmetic.intervals import plain
from raising.validate.reading.pair import Pair
from raising.validate.run.run import Leaf, Leaves

_SAME = 0.95  # of the elements of an input that is nearly uniform


def choices(pair: Pair, tries: int) -> Iterator[Leaves]:
    """So many inputs, one of each of the `KINDS` after the other."""
    constants = literals(pair.source) | literals(pair.target)
    for k in range(tries):
        yield KINDS[k % len(KINDS)](random.Random(f"0 {k}"), constants)


def extremes() -> Iterator[Leaves]:
    """The largest number of each type of integers everywhere, the least, and all bits."""
    yield _drawn(lambda leaf: limits(leaf.element)[1], lambda leaf: 1)
    yield _drawn(lambda leaf: limits(leaf.element)[0], lambda leaf: 1)
    yield _drawn(lambda leaf: -1, lambda leaf: 1)


def literals(program: Program) -> frozenset[Fraction]:
    """The finite constants of a program."""
    found = set()
    for scalar in program.scalars.values():
        if scalar.literal is not None:
            value = float(scalar.literal)
            if value - value == 0:
                found.add(Fraction(scalar.literal) if is_integer(scalar.element) else Fraction(value))
    return frozenset(found)


def of_type(number: Any, element: str) -> Any:
    """A rational as a number of an element type."""
    return wrapped(int(number), element) if is_integer(element) else plain(number)


# ---- kinds of inputs -----------------------------------------------------------------------------

Draw = Callable[[Leaf], Any]
Kind = Callable[[random.Random, frozenset[Fraction]], Leaves]


def _drawn(integer: Draw, real: Draw | None = None) -> Leaves:
    """Leaves from a draw for integers and one for floats; the same for both if there is one alone."""

    def drawn(leaf: Leaf) -> Any:
        draw = integer if real is None or is_integer(leaf.element) else real
        return of_type(draw(leaf), leaf.element)

    return drawn


def _between(low: int) -> Kind:
    """Numbers from `low` to 9."""
    return lambda dice, constants: _drawn(lambda leaf: dice.randint(low, 9))


def _squares(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    return _drawn(lambda leaf: dice.randint(0, 9), lambda leaf: dice.randint(0, 9) ** 2)


def _special(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    """Numbers at which comparisons with the program's constants turn, and the extremes of integers."""
    near = sorted({c + d for c in constants for d in (-1, 0, 1)} | {2 * c for c in constants} | {-c for c in constants})
    near += [c * (1 + Fraction(s, 1 << 10)) for c in sorted(constants) for s in (-1, 1)]
    whole = [int(c) for c in near if c.denominator == 1]

    def integer(leaf: Leaf) -> int:
        top = 1 << max(0, width(leaf.element) - 1)
        return dice.choice([*whole, -top, top - 1, -1, dice.randrange(-top, top)])

    def real(leaf: Leaf) -> Any:
        return dice.choice(near) if near and dice.random() < 0.6 else dice.randint(-9, 9)

    return _drawn(integer, real)


def _constants(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    """Integers that the program compares with or adds, themselves."""
    whole = sorted(int(c) for c in {*constants, Fraction(0)} if c.denominator == 1)
    return _drawn(lambda leaf: dice.choice(whole), lambda leaf: dice.randint(1, 9))


def _equal(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    """Few different numbers, so that many are the same."""
    pool = [dice.randint(-3, 3) for _ in range(2)]
    return _drawn(lambda leaf: dice.choice(pool))


def _uniform(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    """Nearly all of them one of the program's constants: for conditions on all elements."""
    number = dice.choice(sorted({c for c in constants if c.denominator == 1} | {Fraction(0)}))
    return _drawn(lambda leaf: number if dice.random() < _SAME else dice.randint(-3, 3))


def _fractions(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    return _drawn(lambda leaf: dice.getrandbits(64), lambda leaf: Fraction(dice.randint(-64, 64), 16))


def _diagonal(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    """Large on the diagonal, so that a matrix has a root and is no divisor of zero."""

    def real(leaf: Leaf) -> int:
        return dice.randint(1, 9) + (300 if len(set(leaf.index)) < len(leaf.index) else 0)

    return _drawn(lambda leaf: dice.randint(1, 9), real)


def _large(dice: random.Random, constants: frozenset[Fraction]) -> Leaves:
    """Floats of all magnitudes, which may be too large for an integer."""
    return _drawn(lambda leaf: dice.randint(-2, 9), lambda leaf: dice.choice((-1, 1)) * (1 << dice.randrange(66)))


KINDS: tuple[Kind, ...] = (
    *(_between(1), _between(-9), _special, _constants, _uniform, _diagonal),
    *(_squares, _equal, _uniform, _fractions, _large),
)
