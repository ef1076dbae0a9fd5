"""A trace: the value that every instance of every statement stores, in a run on random numbers.

Nothing is concluded from it: equal numbers only say which instances are worth comparing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

from raising.affine.ir.interpreter import Machine
from raising.affine.ir.program import Guard, Loop, Node, Program, Store
from raising.grammar.evaluate.number import Unsupported
from raising.support.record import dataclass
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.integers import Undefined
from raising.validate.arithmetic.residues import PRIMES, Residues
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import Given, output_elements, run_both
from raising.validate.run.telling_inputs import literals

_DRAWS = 40

T = TypeVar("T")

Instance = tuple[int, ...]
"""The iterators around a statement, outermost first."""
Values = dict[str, dict[Instance, Any]]
"""What each statement, by its label, stores at each instance."""


@dataclass(frozen=True)
class Trace:
    """A run of both programs of a pair on the same numbers at one size vector; `inputs` are those of the arguments.

    Values in `constants` say nothing where they are equal. `agree` tells whether the outputs were the same (they need
    not be for programs that compare numbers in different ways).
    """

    sizes: Mapping[str, int]
    constants: frozenset[Any]
    inputs: Values
    source: Values
    target: Values
    agree: bool


def exchanged(run: Trace) -> Trace:
    """The run with source and target exchanged."""
    return replace(run, source=run.target, target=run.source)


def trace(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions) -> Trace:
    """Run both in a finite field; `Unsupported` if there are no numbers on which both are defined."""
    return at_a_point("trace", _DRAWS, partial(_traced, pair, sizes, assumed))


def at_a_point(name: str, draws: int, work: Callable[[Residues], T]) -> T:
    """What some work gives at the first point of a field at which it is defined; `Unsupported` if there is none."""
    reason = ""
    for draw in range(draws):
        try:
            return work(Residues(PRIMES[0], f"{name} {draw}", ordered=draw % 2 == 1, strict=False))
        except (Undefined, Unsupported) as error:
            reason = str(error)
    raise Unsupported(reason)


def _traced(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, field: Residues) -> Trace:
    given = Given(lambda leaf: field.drawn(leaf.element))
    stored: tuple[Values, Values] = {}, {}
    arithmetic = partial(concrete.arithmetic, reals=field.reals())
    machines = [_recorder(p, values) for p, values in zip((pair.source, pair.target), stored, strict=True)]
    memories = run_both(pair, sizes, arithmetic, given.__getitem__, assumed, machines)
    agree = all(told_apart(e.source) == told_apart(e.target) for e in output_elements(pair, memories))
    inputs: Values = {}
    for name, number in given.items():
        if not name.side:
            inputs.setdefault(name.name, {})[name.index] = told_apart(number)
    numbers = {Fraction(0), *literals(pair.source), *literals(pair.target)}
    constants = {told_apart(field.literal(v, "")) for v in numbers} | {("integer", int(v)) for v in numbers}
    return Trace(sizes, frozenset(constants), inputs, *stored, agree)


def _recorder(program: Program, values: Values) -> type[Machine[Any]]:
    """A machine that writes down what is stored."""
    around = dict(_iterators(program.body, ()))

    class Recorder(Machine[Any]):
        def store(self, node: Store, position: int) -> None:
            super().store(node, position)
            instance = tuple(self.names[iv] for iv in around[node.label])
            value = self.values[node.value]
            values.setdefault(node.label, {})[instance] = told_apart(value)

    return Recorder


def told_apart(value: Any) -> Any:
    """The key that tells a value from others: its residue, or the integer itself."""
    number = value.value if isinstance(value, concrete.Indicator) else value
    return number[0] if isinstance(number, tuple) else ("integer", number)


def _iterators(nodes: tuple[Node, ...], ivs: tuple[str, ...]) -> Any:
    """Each statement's label with the iterators around it."""
    for node in nodes:
        if isinstance(node, Loop):
            yield from _iterators(node.body, (*ivs, node.iv))
        elif isinstance(node, Guard):
            yield from _iterators(node.body, ivs)
        elif isinstance(node, Store):
            yield node.label, ivs
