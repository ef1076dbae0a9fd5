"""A trace: the value that every instance of every statement stores, in a run on random numbers.

Nothing is concluded from it: equal numbers only say which instances are worth comparing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from raising.affine.ir.interpreter import Machine
from raising.affine.ir.program import Guard, Loop, Node, Program, Store
from raising.grammar.evaluate.number import Unsupported
from raising.support.record import dataclass
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.integers import Undefined, is_integer, width, wrapped
from raising.validate.arithmetic.residues import PRIMES, Residues
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.replay import literals
from raising.validate.run.run import Leaf, elements_of, execute

_DRAWS = 40

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
    reason = ""
    for draw in range(_DRAWS):
        field = Residues(PRIMES[0], f"trace {draw}", ordered=draw % 2 == 1, strict=False)
        try:
            return _traced(pair, sizes, assumed, field)
        except (Undefined, Unsupported) as error:
            reason = str(error)
    raise Unsupported(reason)


class DrawnLeaves:
    """Numbers for the leaves of a run, at random when they are first asked for."""

    def __init__(self, field: Residues) -> None:
        self.field, self.drawn = field, dict[Leaf, Any]()

    def __call__(self, leaf: Leaf) -> Any:
        """The number that a leaf is."""
        if leaf not in self.drawn:
            integer = is_integer(leaf.element)
            self.drawn[leaf] = (
                wrapped(self.field.integer(width(leaf.element)), leaf.element) if integer else self.field.draw(())
            )
        return self.drawn[leaf]


def _traced(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, field: Residues) -> Trace:
    leaves = DrawnLeaves(field)
    stored: tuple[Values, Values] = {}, {}
    memories = [
        execute(
            program,
            sizes,
            concrete.arithmetic(elements_of(program), field.reals()),
            leaves,
            assumed,
            side,
            _recorder(program, values),
        )
        for program, side, values in zip((pair.source, pair.target), ("source", "target"), stored, strict=True)
    ]
    agree = all(
        told_apart(a) == told_apart(b)
        for one, other in pair.outputs
        for a, b in zip(memories[0][one].data, memories[1][other].data, strict=True)
    )
    inputs: Values = {}
    for name, number in leaves.drawn.items():
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
