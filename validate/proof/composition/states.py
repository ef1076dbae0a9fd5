"""What the memories of both programs hold between their loop nests, in a few runs on random numbers.

Nothing is concluded from it: equal contents only say where the programs may be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

from raising.affine.ir.interpreter import Machine
from raising.affine.ir.program import Load, Node, Program, Store
from raising.grammar.evaluate.number import Unsupported
from raising.support.record import dataclass
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.integers import Undefined
from raising.validate.arithmetic.residues import PRIMES, Residues
from raising.validate.proof.induction.value_trace import DrawnLeaves, told_apart
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import elements_of, execute

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

    start: dict[str, Hashable]
    counts: dict[str, int]
    effects: list[Effects]


def runs(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions) -> tuple[Run, Run]:
    """Both programs on the same numbers; `Unsupported` if there are none on which both are defined."""
    reason = ""
    for draw in range(_DRAWS):
        field = Residues(PRIMES[0], f"states {draw}", ordered=draw % 2 == 1, strict=False)
        leaves = DrawnLeaves(field)
        try:
            source = _run(pair.source, sizes, assumed, "source", leaves)
            return source, _run(pair.target, sizes, assumed, "target", leaves)
        except (Undefined, Unsupported) as error:
            reason = str(error)
    raise Unsupported(reason)


def _run(program: Program, sizes: Mapping[str, int], assumed: Assumptions, side: str, leaves: DrawnLeaves) -> Run:
    run = Run({}, {}, [])
    arithmetic = concrete.arithmetic(elements_of(program), leaves.field.reals())
    execute(program, sizes, arithmetic, leaves, assumed, side, partial(_Observer, run))
    return run


class _Observer(Machine[Any]):
    """Runs a program and writes down what each of its nests does."""

    def __init__(self, seen: Run, *state: Any) -> None:
        super().__init__(*state)
        self.seen = seen

    def run(self, nodes: Sequence[Node]) -> None:
        """Execute the nests one after the other."""
        self.seen.start.update({name: self._contents(name) for name in self.memory})
        self.seen.counts.update({name: len(memory.data) for name, memory in self.memory.items()})
        for node in nodes:
            self.effects = Effects()
            self._step(node)()
            self.effects.held = {name: self._contents(name) for name in self.effects.written}
            self.seen.effects.append(self.effects)

    def store(self, node: Store, position: int) -> None:
        """Execute a store, and note that its element is written."""
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
