"""Counterexamples: both programs run exactly on inputs that may tell them apart.

Whatever suggests that two programs differ (a proof that fails, a model of a solver, the field) is only believed when
the difference shows here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import chain
from typing import Any

from raising.affine.ir.interpreter import OutOfBounds
from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.size_vectors import fits
from raising.support.record import dataclass
from raising.validate.arithmetic import exact
from raising.validate.arithmetic import intervals as enclosure
from raising.validate.arithmetic.concrete import POISON
from raising.validate.arithmetic.integers import Undefined, Violated
from raising.validate.base.verdict import NO_VALUE, NOT_DEFINED, Counterexample
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.promised import keeping
from raising.validate.run.run import (
    SIDES,
    Given,
    Leaf,
    Leaves,
    Memories,
    TooLarge,
    elements_of,
    execute,
    output_elements,
)
from raising.validate.run.sizes_to_run import sizes_in_regions, tiny_sizes
from raising.validate.run.telling_inputs import KINDS, choices, of_type

TRIES = 24
"""Inputs that are looked at."""
_SHRINKS = 160
"""Runs spent on making a counterexample smaller."""


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
    return shown_on(pair, sizes, assumed, choices(pair, tries))


def replay_values(
    pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, values: Mapping[Leaf, Any]
) -> Counterexample | None:
    """The counterexample that `values` are (leaves that are not in them are zero), if they are one."""
    return shown_on(pair, sizes, assumed, iter([lambda leaf: values.get(leaf, 0)]))


def differ(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, tries: int) -> bool:
    """True if a run at these sizes shows a difference; `TooLarge`, `Unsupported` as for `replay`."""
    return _any_differs(pair, sizes, assumed, choices(pair, tries))


def _any_differs(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, inputs: Iterable[Leaves]) -> bool:
    runs = _Runs(pair, sizes, assumed)
    return any(runs.difference(one) is not None for one in inputs)


def differ_in_files(pair: Pair, assumed: Assumptions, example: Counterexample) -> bool | None:
    """Whether an input of some kind, or one like an example at others, shows a difference at the sizes of the files.

    None: these are too large.
    """
    try:
        return _any_differs(pair, {}, assumed, chain([_spread(example)], choices(pair, len(KINDS))))
    except (TooLarge, Unsupported):
        return None


def _spread(example: Counterexample) -> Leaves:
    """The inputs of a counterexample for arrays of other sizes: those behind the last one that it names are as that."""
    given: dict[str, dict[tuple[int, ...], Fraction]] = {}
    for name, index, text in example.inputs:
        with suppress(ValueError):  # a number that has no exact text
            given.setdefault(name, {})[index] = Fraction(text)
    last = {name: tuple(map(max, zip(*found, strict=True))) for name, found in given.items()}

    def value(leaf: Leaf) -> Any:
        number = given.get(leaf.name, {}).get(tuple(map(min, leaf.index, last.get(leaf.name, ()))), Fraction(0))
        return of_type(number, leaf.element)

    return value


def shown_on(
    pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, inputs: Iterator[Leaves]
) -> Counterexample | None:
    """The counterexample that the first of some inputs is on which the programs differ at these sizes."""
    runs = _Runs(pair, sizes, assumed)
    for one in inputs:
        found = runs.difference(one)
        if found is not None:
            return _told(runs.smaller(found), pair, sizes)
    return None


def counterexample(pair: Pair, assumed: Assumptions, sizes: Iterable[Mapping[str, int]] = ()) -> Counterexample | None:
    """The first counterexample at these sizes, or at all sizes up to 3 and then at `sizes_in_regions`."""
    tried = list(sizes) or [*tiny_sizes(pair), *sizes_in_regions(pair, 2)[0]]
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
        accesses = Accesses(pair.source)
        here = accesses.reached({name: sizes.get(name, 0) for name in pair.source.sizes})
        near = [here] if fits(accesses, here) else []
        found = counterexample(pair, assumed, near) if near else None
        return found or counterexample(pair, assumed) or False
    except (TooLarge, Unsupported):
        return True


class _Runs:
    """Runs of both programs at one size vector."""

    def __init__(self, pair: Pair, sizes: Mapping[str, int], assumed: Assumptions) -> None:
        self.pair, self.sizes, self.assumed = pair, dict(sizes), assumed
        elements = [elements_of(p) for p in (pair.source, pair.target)]
        one, other = map(exact.arithmetic, elements)
        self.arithmetic = [keeping(one, pair.promised, elements[0]), other]

    def difference(self, inputs: Leaves) -> _Difference | None:
        """The first difference on these inputs, among the elements that both programs define."""
        given = Given(lambda leaf: inputs(leaf) & 1 if leaf.truth else inputs(leaf))

        def leaf(name: Leaf) -> Any:
            return POISON if name.side else given[name]  # memory that nothing has written has no value

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
        return self._compared(given, (before, after))

    def _compared(self, given: dict[Leaf, Any], memories: tuple[Memories, Memories]) -> _Difference | None:
        """The first extent or element that differs; where the source has no value, anything will do."""
        for (one, other), label in zip(self.pair.outputs, self.pair.labels, strict=True):
            shapes = memories[0][one].shape, memories[1][other].shape
            forms = (*self.pair.source.arrays[one].shape, *self.pair.target.arrays[other].shape)
            if shapes[0] != shapes[1] and all(f.names() <= self.sizes.keys() for f in forms):
                return _Difference(given, f"the shape of {label}", (), *("x".join(map(str, s)) for s in shapes))
        for e in output_elements(self.pair, memories):
            a, b = e.source, e.target
            if a is not b and a is not POISON and (b is POISON or enclosure.differ(a, b)):
                return _Difference(given, e.output, e.index, a, b)
        return None

    def _run(self, side: int, leaf: Leaves) -> Memories:
        program = (self.pair.source, self.pair.target)[side]
        return execute(program, self.sizes, self.arithmetic[side], leaf, self.assumed, SIDES[side])

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
