"""Counterexamples: both programs run exactly on inputs that may tell them apart.

Whatever suggests that two programs differ (a proof that fails, a model of a solver, the field) is only believed when
the difference shows here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain
from typing import Any

from raising.affine.ir.interpreter import Memory, OutOfBounds
from raising.affine.ir.program import Program
from raising.grammar.evaluate.extents import reached
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.position_values import unseen
from raising.grammar.evaluate.regions import divided, open_sizes, regions_text, scattered
from raising.grammar.evaluate.size_vectors import fits, showing, size_vectors
from raising.support.record import dataclass
from raising.validate.arithmetic import exact
from raising.validate.arithmetic import intervals as enclosure
from raising.validate.arithmetic.concrete import POISON
from raising.validate.arithmetic.integers import Undefined, Violated, is_integer, width, wrapped
from raising.validate.base.verdict import NO_VALUE, NOT_DEFINED, Counterexample
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.promised import keeping
from raising.validate.run.run import Leaf, TooLarge, elements_of, execute, indices

TRIES = 24
"""Inputs that are looked at."""
_SHRINKS = 160
"""Runs spent on making a counterexample smaller."""

Inputs = Callable[[Leaf], Any]


@dataclass(frozen=True)
class _Difference:
    """Where two runs differ, and all the numbers they were given."""

    given: dict[Leaf, Any]
    output: str
    index: tuple[int, ...]
    source: Any
    target: Any


def replay(
    pair: Pair,
    sizes: Mapping[str, int],
    assumed: Assumptions,
    tries: int = TRIES,
) -> Counterexample | None:
    """Look for an input at these sizes on which the programs differ."""
    return _first(pair, sizes, assumed, _choices(pair, tries))


def replay_values(
    pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, values: Mapping[Leaf, Any]
) -> Counterexample | None:
    """The counterexample that `values` are (leaves that are not in them are zero), if they are one."""
    return _first(pair, sizes, assumed, iter([lambda leaf: values.get(leaf, 0)]))


def differ(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, tries: int) -> bool:
    """True if a run at these sizes shows a difference; `TooLarge`, `Unsupported` as for `replay`."""
    return _any_differs(pair, sizes, assumed, _choices(pair, tries))


def _any_differs(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, choices: Iterable[Inputs]) -> bool:
    runs = _Runs(pair, sizes, assumed)
    return any(runs.difference(inputs) is not None for inputs in choices)


def differ_in_files(pair: Pair, assumed: Assumptions, example: Counterexample) -> bool | None:
    """Whether an input of some kind, or one like an example at others, shows a difference at the sizes of the files.

    None: these are too large.
    """
    try:
        return _any_differs(pair, {}, assumed, chain([_spread(example)], _choices(pair, len(_KINDS))))
    except (TooLarge, Unsupported):
        return None


def _spread(example: Counterexample) -> Inputs:
    """The inputs of a counterexample for arrays of other sizes: those behind the last one that it names are as that."""
    given: dict[str, dict[tuple[int, ...], Fraction]] = {}
    for name, index, text in example.inputs:
        with suppress(ValueError):  # a number that has no exact text
            given.setdefault(name, {})[index] = Fraction(text)
    last = {name: tuple(map(max, zip(*found, strict=True))) for name, found in given.items()}

    def value(leaf: Leaf) -> Any:
        number = given.get(leaf.name, {}).get(tuple(map(min, leaf.index, last.get(leaf.name, ()))), Fraction(0))
        return wrapped(int(number), leaf.element) if is_integer(leaf.element) else enclosure.plain(number)

    return value


def _first(
    pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, choices: Iterator[Inputs]
) -> Counterexample | None:
    runs = _Runs(pair, sizes, assumed)
    for inputs in choices:
        found = runs.difference(inputs)
        if found is not None:
            return _told(runs.smaller(found), pair, sizes)
    return None


class _Runs:
    """Runs of both programs at one size vector."""

    def __init__(self, pair: Pair, sizes: Mapping[str, int], assumed: Assumptions) -> None:
        self.pair, self.sizes, self.assumed = pair, dict(sizes), assumed
        elements = [elements_of(p) for p in (pair.source, pair.target)]
        one, other = map(exact.arithmetic, elements)
        self.arithmetic = [keeping(one, pair.promised, elements[0]), other]

    def difference(self, inputs: Inputs) -> _Difference | None:
        """The first difference on these inputs, among the elements that both programs define."""
        given: dict[Leaf, Any] = {}

        def leaf(name: Leaf) -> Any:
            if name.side:
                return POISON  # memory that nothing has written
            if name not in given:
                given[name] = inputs(name) & 1 if name.truth else inputs(name)
            return given[name]

        try:
            before = self._run(0, leaf)
        except (Undefined, OutOfBounds):
            return None
        try:
            after = self._run(1, leaf)
        except Violated as error:
            return _Difference(given, NOT_DEFINED, (), "defined", str(error))
        except Undefined:
            return None
        except OutOfBounds as error:
            return _Difference(given, "memory access", (), "in bounds", str(error))
        return self._compared(given, before, after)

    def _compared(
        self, given: dict[Leaf, Any], before: dict[str, Memory[Any]], after: dict[str, Memory[Any]]
    ) -> _Difference | None:
        """The first element that differs; where the source has no value, anything will do."""
        for (one, other), label in zip(self.pair.outputs, self.pair.labels, strict=True):
            for index, a, b in zip(indices(before[one]), before[one].data, after[other].data, strict=True):
                if a is not b and a is not POISON and (b is POISON or enclosure.differ(a, b)):
                    return _Difference(given, label, index, a, b)
        return None

    def _run(self, side: int, leaf: Inputs) -> dict[str, Memory[Any]]:
        program = (self.pair.source, self.pair.target)[side]
        return execute(program, self.sizes, self.arithmetic[side], leaf, self.assumed, ("source", "target")[side])

    def smaller(self, found: _Difference) -> _Difference:
        """The same kind of difference with as many inputs zero, then one, as can be had cheaply."""
        budget = _SHRINKS
        for value in (0, 1):
            chunk = max(1, len(found.given) // 2)
            while chunk and budget:
                leaves = [x for x, v in found.given.items() if v not in (0, value)]
                for start in range(0, len(leaves), chunk):
                    changed = {**found.given, **dict.fromkeys(leaves[start : start + chunk], value)}
                    budget -= 1
                    again = self.difference(changed.__getitem__) if budget else None
                    found = again or found
                    if not budget:
                        break
                chunk //= 2
        return found


def _told(found: _Difference, pair: Pair, sizes: Mapping[str, int]) -> Counterexample:
    inputs = [(x.name, x.index, enclosure.text(v)) for x, v in found.given.items() if v != 0]
    return Counterexample(
        tuple(sorted(sizes.items())),
        tuple(sorted(inputs)),
        found.output,
        found.index,
        _value_text(found.source),
        _value_text(found.target),
    )


def _value_text(value: Any) -> str:
    return NO_VALUE if value is POISON else enclosure.text(value)


# ---- inputs --------------------------------------------------------------------------------------


def _choices(pair: Pair, tries: int) -> Iterator[Inputs]:
    constants = literals(pair.source) | literals(pair.target)
    for k in range(tries):
        dice = random.Random(f"0 {k}")
        yield _KINDS[k % len(_KINDS)](dice, constants)


def _small(leaf: Leaf, dice: random.Random, low: int) -> Any:
    if is_integer(leaf.element):
        return wrapped(dice.randint(low, 9), leaf.element)
    return dice.randint(low, 9)


def _positive(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    return lambda leaf: _small(leaf, dice, 1)


def _signed(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    return lambda leaf: _small(leaf, dice, -9)


def _squares(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    return lambda leaf: _small(leaf, dice, 0) ** 2 if not is_integer(leaf.element) else _small(leaf, dice, 0)


def _special(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    """Numbers at which comparisons with the program's constants turn, and the extremes of integers."""
    near = sorted({c + d for c in constants for d in (-1, 0, 1)} | {2 * c for c in constants} | {-c for c in constants})
    near += [c * (1 + Fraction(s, 1 << 10)) for c in sorted(constants) for s in (-1, 1)]
    whole = [int(c) for c in near if c.denominator == 1]

    def draw(leaf: Leaf) -> Any:
        if not is_integer(leaf.element):
            return enclosure.plain(dice.choice(near)) if near and dice.random() < 0.6 else dice.randint(-9, 9)
        top = 1 << max(0, width(leaf.element) - 1)
        return wrapped(dice.choice([*whole, -top, top - 1, -1, dice.randrange(-top, top)]), leaf.element)

    return draw


def _constants(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    """Integers that the program compares with or adds, themselves."""
    whole = sorted(int(c) for c in {*constants, Fraction(0)} if c.denominator == 1)
    return lambda leaf: wrapped(dice.choice(whole), leaf.element) if is_integer(leaf.element) else dice.randint(1, 9)


def _equal(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    """Few different numbers, so that many are the same."""
    pool = [dice.randint(-3, 3) for _ in range(2)]
    return lambda leaf: wrapped(dice.choice(pool), leaf.element) if is_integer(leaf.element) else dice.choice(pool)


def _uniform(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    """Nearly all of them one of the program's constants: for conditions on all elements."""
    number = dice.choice(sorted({c for c in constants if c.denominator == 1} | {Fraction(0)}))

    def draw(leaf: Leaf) -> Any:
        value = int(number) if dice.random() < _SAME else dice.randint(-3, 3)
        return wrapped(value, leaf.element) if is_integer(leaf.element) else value

    return draw


def _fractions(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    def draw(leaf: Leaf) -> Any:
        if is_integer(leaf.element):
            return wrapped(dice.getrandbits(64), leaf.element)
        return enclosure.plain(Fraction(dice.randint(-64, 64), 16))

    return draw


def _diagonal(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    """Large on the diagonal, so that a matrix has a root and is no divisor of zero."""

    def draw(leaf: Leaf) -> Any:
        more = 300 if len(set(leaf.index)) < len(leaf.index) and not is_integer(leaf.element) else 0
        return _small(leaf, dice, 1) + more

    return draw


def _large(dice: random.Random, constants: frozenset[Fraction]) -> Inputs:
    """Floats of all magnitudes, which may be too large for an integer."""

    def draw(leaf: Leaf) -> Any:
        if is_integer(leaf.element):
            return _small(leaf, dice, -2)
        return dice.choice((-1, 1)) * (1 << dice.randrange(66))

    return draw


_SAME = 0.95
_KINDS = (_positive, _signed, _special, _constants, _uniform, _diagonal, _squares, _equal, _uniform, _fractions, _large)


def literals(program: Program) -> frozenset[Fraction]:
    """The finite constants of a program."""
    found = set()
    for scalar in program.scalars.values():
        if scalar.literal is not None:
            value = float(scalar.literal)
            if value - value == 0:
                found.add(Fraction(scalar.literal) if is_integer(scalar.element) else Fraction(value))
    return frozenset(found)


# ---- sizes ---------------------------------------------------------------------------------------


def small_sizes(pair: Pair, count: int) -> tuple[dict[str, int], ...]:
    """Small size vectors, distinct per symbol, at which the source stays in bounds; `Unsizable` if there are none."""
    if not pair.source.sizes:
        return ({},)
    return tuple(size_vectors(pair.source, pair.values, count))


def sizes_in_regions(pair: Pair, count: int = 3) -> tuple[tuple[dict[str, int], ...], str]:
    """`small_sizes`, a point in each region in which the source's loops and the target's behave alike, and more.

    Also in how many of the source's regions, in words. Nothing is said where no size is open.
    """
    small = small_sizes(pair, count)
    if not open_sizes(pair.source, pair.values):
        return small, ""
    larger = showing(pair.target, pair.values, small)
    tried, others = divided(pair.source, pair.target, pair.values)
    more = [*larger, *tried.points, *others, *scattered(pair.source, pair.values)]
    found = [*small, *(p for p in more if set(p) == set(pair.source.sizes))]
    kept = [*small, *larger]
    points = [p for k, p in enumerate(found) if p not in found[:k] and (p in kept or fits(pair.source, p))]
    return tuple(points), regions_text(tried.seen, len(tried.found) if tried.complete else None)


def untold_at(pair: Pair, vectors: Sequence[Mapping[str, int]]) -> str:
    """Why runs at some sizes cannot tell what one of two programs computes of loop variables; empty if they can."""
    return next((why for p in (pair.source, pair.target) if (why := unseen(p, pair.values, vectors))), "")


def counterexample(pair: Pair, assumed: Assumptions, sizes: Iterable[Mapping[str, int]] = ()) -> Counterexample | None:
    """The first counterexample at these sizes, or at all sizes up to 3 and then at `sizes_in_regions`."""
    tried = list(sizes) or [*_tiny(pair), *sizes_in_regions(pair, 2)[0]]
    for vector in tried:
        found = replay(pair, vector, assumed)
        if found is not None:
            return found
    return None


def counterexample_here(pair: Pair, assumed: Assumptions, sizes: Mapping[str, int]) -> Counterexample | bool:
    """The first counterexample at the open ones of these sizes, with as much memory as that takes, or at others.

    False if there is none, True if the sizes are too large to run.
    """
    try:
        here = reached(pair.source, {name: sizes.get(name, 0) for name in pair.source.sizes})
        near = [here] if fits(pair.source, here) else []
        found = counterexample(pair, assumed, near) if near else None
        return found or counterexample(pair, assumed) or False
    except (TooLarge, Unsupported):
        return True


def _tiny(pair: Pair) -> Iterator[dict[str, int]]:
    names = pair.source.sizes
    for low in (1, 2):
        for vector in ({n: low for n in names}, {n: low + k % 2 for k, n in enumerate(names)}):
            if names and all(c.holds(vector) for c in pair.source.context):
                yield vector
