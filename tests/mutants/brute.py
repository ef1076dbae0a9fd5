"""An interpreter of its own: whether two programs differ, decided by running them on numbers.

It shares no code with the checks. Floats are rationals as long as they can be;
a root or another function gives a Python float, and then results count as
different only if they are far apart. Integers wrap.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store
from tests.mutants.numbers import Long, Stuck, compute, differ, is_integer, number, wrap

MAX_STEPS = 20_000


class Outside(Exception):
    """An access outside of its array."""


class _Elements(dict[tuple[int, ...], Any]):
    """An array's elements; one that nothing has set is given when it is asked for."""

    def __init__(self, given: Callable[[tuple[int, ...], str], Any], element: str) -> None:
        super().__init__()
        self.given, self.element = given, element

    def __missing__(self, place: tuple[int, ...]) -> Any:
        self[place] = self.given(place, self.element)
        return self[place]


class Run:
    """One program run at sizes; `given(array, index)` are the numbers that arguments hold."""

    def __init__(self, program: Program, sizes: Mapping[str, int], given: Callable[[str, tuple[int, ...], str], Any]):
        self.program, self.names, self.given = program, dict(sizes), given
        self.arrays: dict[str, dict[tuple[int, ...], Any]] = {}
        self.values: dict[str, tuple[Any, str]] = {}
        self.steps = 0
        for array in program.arrays.values():
            own = array.name if array.kind == "argument" else f"unset {array.name}"
            self.arrays[array.name] = found = _Elements(partial(given, own), array.element)
            if all(f.names() <= sizes.keys() for f in array.shape):
                for place in product(*(range(f.evaluate(sizes)) for f in array.shape)):
                    found[place]  # every element is there, in order
        for scalar in program.scalars.values():
            if scalar.literal is None:
                self.values[scalar.name] = given(scalar.name, (), scalar.element), scalar.element
            else:
                self.values[scalar.name] = number(scalar.literal, scalar.element), scalar.element
        self.nodes(program.body)

    def nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.steps += 1
            if self.steps > MAX_STEPS:
                raise Long
            if isinstance(node, Loop):
                low = max(f.evaluate(self.names) for f in node.lower)
                for value in range(low, min(f.evaluate(self.names) for f in node.upper), node.step):
                    self.names[node.iv] = value
                    self.nodes(node.body)
            elif isinstance(node, Guard):
                if all(c.holds(self.names) for c in node.conds):
                    self.nodes(node.body)
            else:
                self._statement(node)

    def _statement(self, node: Load | Store | IndexValue | Compute) -> None:
        match node:
            case Load():
                element = self.program.arrays[node.array].element
                self.values[node.dst] = self.arrays[node.array][self._place(node)], element
            case Store():
                place = self._place(node)
                self.arrays[node.array][place] = self.values[node.value][0]
            case IndexValue():
                self.values[node.dst] = wrap(node.form.evaluate(self.names), node.element), node.element
            case Compute():
                self.values[node.dst] = compute(node, [self.values[a] for a in node.args]), node.element

    def _place(self, node: Load | Store) -> tuple[int, ...]:
        place = tuple(f.evaluate(self.names) for f in node.subscripts)
        shape = [f.evaluate(self.names) for f in self.program.arrays[node.array].shape]
        if not all(0 <= i < n for i, n in zip(place, shape, strict=True)):
            raise Outside(f"{node.array}{list(place)}")
        return place


# ---- judging -------------------------------------------------------------------------------------


def _inputs(kind: int, seed: str) -> Callable[[str, tuple[int, ...], str], Any]:
    dice, known = random.Random(seed), {}

    def given(name: str, index: tuple[int, ...], element: str) -> Any:
        key = name, index
        if key not in known:
            if is_integer(element):
                known[key] = wrap(dice.randint(-8, 8) if kind else dice.getrandbits(70), element)
            else:
                known[key] = (
                    Fraction(dice.randint(1, 40), 8),
                    Fraction(dice.randint(-40, 40), 8),
                    Fraction(dice.randint(-2, 2)),
                    Fraction(dice.randint(1, 40), 8) + (40 if len(set(index)) < len(index) else 0),
                )[kind % 4]
        return known[key]

    return given


def difference(
    source: Program,
    target: Program,
    outputs: Sequence[tuple[str, str]],
    sizes: Sequence[Mapping[str, int]],
    tries: int = 4,
    inside: bool = False,
) -> str:
    """How two programs differ at one of these sizes; empty if no run shows it.

    With `inside`, a target that leaves its arrays is no difference.
    """
    for vector, kind in product(sizes, range(tries)):
        given = _inputs(kind, f"{kind} {sorted(vector.items())}")
        try:
            before = Run(source, vector, _of(given, "source"))
        except (Stuck, Long, Outside):
            continue
        try:
            after = Run(target, vector, _of(given, "target"))
        except Outside as error:
            if inside:
                continue
            return f"outside {error} at {vector}"
        except (Stuck, Long):
            continue
        for place in _places(before, after, outputs):
            return f"{place} at {vector}, inputs {kind}"
    return ""


def _of(given: Callable[..., Any], side: str) -> Callable[[str, tuple[int, ...], str], Any]:
    """What memory holds that nobody has set is a side's own."""
    return lambda name, index, element: given(f"{side} {name}" if name.startswith("unset") else name, index, element)


def _places(before: Run, after: Run, outputs: Sequence[tuple[str, str]]) -> Iterator[str]:
    for one, other in outputs:
        for index, a in before.arrays[one].items():
            if differ(a, after.arrays[other][index]):
                yield f"{one}{list(index)}: {a} and {after.arrays[other][index]}"
