"""What the memories of both programs hold between their loop nests, in a few runs on random numbers.

Nothing is concluded from it: equal contents only say where the programs may be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from typing import Any

from raising.affine.ir.interpreter import Machine
from raising.affine.ir.program import Load, Node, Program, Store
from raising.grammar.evaluate.number import Unsupported
from raising.support.record import dataclass
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.integers import Undefined, is_integer, width, wrapped
from raising.validate.arithmetic.residues import PRIMES, Residues
from raising.validate.proof.induction.value_trace import told_apart
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import Leaf, elements_of, execute

_DRAWS = 8


@dataclass
class Effects:
    """One nest in one run: the elements whose old values it reads, those that it writes, and the arrays afterwards."""

    read: dict[str, set[int]] = field(default_factory=dict)
    written: dict[str, set[int]] = field(default_factory=dict)
    held: dict[str, Hashable] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A program in one run: what arrays hold at its start, their numbers of elements, and the effects of each nest."""

    start: Mapping[str, Hashable]
    counts: Mapping[str, int]
    effects: Sequence[Effects]


def runs(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions) -> tuple[Run, Run]:
    """Both programs on the same numbers; `Unsupported` if there are none on which both are defined."""
    reason = ""
    for draw in range(_DRAWS):
        numbers = Residues(PRIMES[0], f"states {draw}", ordered=draw % 2 == 1, strict=False)
        given: dict[Leaf, Any] = {}
        try:
            source = _run(pair.source, sizes, assumed, "source", _leaves(numbers, given), numbers)
            return source, _run(pair.target, sizes, assumed, "target", _leaves(numbers, given), numbers)
        except (Undefined, Unsupported) as error:
            reason = str(error)
    raise Unsupported(reason)


def _leaves(numbers: Residues, given: dict[Leaf, Any]) -> Callable[[Leaf], Any]:
    def leaf(name: Leaf) -> Any:
        if name not in given:
            whole = is_integer(name.element)
            given[name] = wrapped(numbers.integer(width(name.element)), name.element) if whole else numbers.draw(())
        return given[name]

    return leaf


def _run(
    program: Program,
    sizes: Mapping[str, int],
    assumed: Assumptions,
    side: str,
    leaf: Callable[[Leaf], Any],
    numbers: Residues,
) -> Run:
    found: list[Effects] = []
    start: dict[str, Hashable] = {}
    counts: dict[str, int] = {}

    class Observer(Machine[Any]):
        """Writes down what each nest does."""

        def run(self, nodes: Sequence[Node]) -> None:
            start.update({name: self._contents(name) for name in self.memory})
            counts.update({name: len(memory.data) for name, memory in self.memory.items()})
            for node in nodes:
                self.effects = Effects()
                self._step(node)()
                self.effects.held = {name: self._contents(name) for name in self.effects.written}
                found.append(self.effects)

        def store(self, node: Store, position: int) -> None:
            super().store(node, position)
            self.effects.written.setdefault(node.array, set()).add(position)

        def _load(self, node: Load) -> Callable[[], None]:
            step, position, name = super()._load(node), self._position(node), node.array

            def observed() -> None:
                at = position()
                if at not in self.effects.written.get(name, ()):
                    self.effects.read.setdefault(name, set()).add(at)
                step()

            return observed

        def _contents(self, name: str) -> Hashable:
            memory = self.memory[name]
            return memory.shape, tuple([told_apart(v) for v in memory.data])

    execute(program, sizes, concrete.arithmetic(elements_of(program), numbers.reals()), leaf, assumed, side, Observer)
    return Run(start, counts, found)
