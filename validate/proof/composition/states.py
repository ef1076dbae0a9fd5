"""What the memories of both programs hold between their loop nests, in a few runs on random numbers.

Nothing is concluded from it: equal contents only say where the programs may be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

from raising.affine.ir.interpreter import Machine
from raising.affine.ir.program import Load, Node, Store
from raising.support.record import dataclass
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.residues import Residues
from raising.validate.proof.induction.value_trace import at_a_point, told_apart
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import Given, run_both

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
    return at_a_point("states", _DRAWS, partial(_observed, pair, sizes, assumed))


def _observed(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, field: Residues) -> tuple[Run, Run]:
    seen = Run({}, {}, []), Run({}, {}, [])
    given = Given(lambda leaf: field.drawn(leaf.element))
    arithmetic = partial(concrete.arithmetic, reals=field.reals())
    run_both(pair, sizes, arithmetic, given.__getitem__, assumed, [partial(_Observer, run) for run in seen])
    return seen


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
