"""The executable reference: runs a loop program over any arithmetic.

The search and the checks compare against this; it is written to be plainly
right. Memories are flat lists, so an access outside of its array is an error
here (`OutOfBounds`), never a wrong value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, Generic, TypeVar

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store, walk
from raising.support.record import dataclass

V = TypeVar("V")


class OutOfBounds(Exception):
    """A subscript left its array; the message names the place."""


@dataclass(frozen=True)
class Arithmetic(Generic[V]):
    """A number domain for the reference: the result of a computation, and a constant of an element type.

    `function_of` gives a computation as a function of its operands, for a domain that looks at each only once.
    """

    compute: Callable[[Compute, Sequence[V]], V]
    literal: Callable[[Any, str], V]
    function_of: Callable[[Compute], Callable[[Sequence[V]], V]] | None = None


@dataclass
class Memory(Generic[V]):
    """One array's elements, row-major, and which of them have been written."""

    shape: tuple[int, ...]
    data: list[V]
    written: set[int] = field(default_factory=set)

    def flat(self, subscripts: Sequence[int], where: object) -> int:
        """The position of an element; `OutOfBounds` if there is none."""
        position = 0
        for index, extent in zip(subscripts, self.shape, strict=True):
            if not 0 <= index < extent:
                raise OutOfBounds(f"{where}: subscript {index} outside of 0 … {extent - 1}")
            position = position * extent + index
        return position


class Machine(Generic[V]):
    """Runs nodes with `sizes` bound, on `memory`, with `scalars` given."""

    def __init__(
        self,
        arithmetic: Arithmetic[V],
        sizes: Mapping[str, int],
        memory: dict[str, Memory[V]],
        scalars: dict[str, V],
    ) -> None:
        self.arithmetic = arithmetic
        self.names: dict[str, int] = dict(sizes)
        self.memory = memory
        self.values: dict[str, V] = dict(scalars)

    def run(self, nodes: Sequence[Node]) -> None:
        """Execute the nodes in order."""
        for step in self.prepared(nodes):
            step()

    def prepared(self, nodes: Sequence[Node]) -> list[Callable[[], None]]:
        """The nodes as functions, which execute them on what is in the memories, and among the values, by then."""
        return [self._step(node) for node in nodes]

    def store(self, node: Store, position: int) -> None:
        """Execute a store to a position of its array."""
        memory = self.memory[node.array]
        memory.data[position] = self.values[node.value]
        memory.written.add(position)

    # Each node becomes a function once, so that what it is made of is looked at once and not in every iteration.

    def _step(self, node: Node) -> Callable[[], None]:
        match node:
            case Loop():
                return self._loop(node)
            case Guard():
                return self._guard(node)
            case Load():
                return self._load(node)
            case Compute():
                return self._compute(node)
            case IndexValue():
                return self._index(node)
            case Store():
                position = self._position(node)
                return lambda: self.store(node, position())

    def _loop(self, loop: Loop) -> Callable[[], None]:
        names, iv, steps = self.names, loop.iv, [self._step(node) for node in loop.body]
        lower, upper = [evaluator(f) for f in loop.lower], [evaluator(f) for f in loop.upper]

        def step() -> None:
            low, high = max([f(names) for f in lower]), min([f(names) for f in upper])
            for value in range(low, high, loop.step):
                names[iv] = value
                for inner in steps:
                    inner()

        return step

    def _guard(self, guard: Guard) -> Callable[[], None]:
        steps, names, holds = [self._step(node) for node in guard.body], self.names, condition(guard.conds)

        def step() -> None:
            if holds(names):
                for inner in steps:
                    inner()

        return step

    def _load(self, node: Load) -> Callable[[], None]:
        values, data, position, name = self.values, self.memory[node.array].data, self._position(node), node.dst

        def step() -> None:
            values[name] = data[position()]

        return step

    def _compute(self, node: Compute) -> Callable[[], None]:
        values, args, name, prepared = self.values, node.args, node.dst, self.arithmetic.function_of
        compute = partial(self.arithmetic.compute, node) if prepared is None else prepared(node)

        def step() -> None:
            values[name] = compute([values[a] for a in args])

        return step

    def _index(self, node: IndexValue) -> Callable[[], None]:
        form, literal = evaluator(node.form), self.arithmetic.literal

        def step() -> None:
            self.values[node.dst] = literal(form(self.names), node.element)

        return step

    def _position(self, node: Load | Store) -> Callable[[], int]:
        names, flat, where = self.names, self.memory[node.array].flat, node.loc
        subscripts = [evaluator(f) for f in node.subscripts]
        return lambda: flat([f(names) for f in subscripts], where)


@lru_cache(1 << 14)
def evaluator(form: Lin) -> Callable[[Mapping[str, int]], int]:
    """The form as a function of its names' values, for many of them."""
    const, terms = form.const, [(atom, c) for atom, c in form.terms if isinstance(atom, str)]
    if len(terms) < len(form.terms):
        return form.evaluate
    match terms:
        case []:
            return lambda _: const
        case [(name, 1)] if not const:
            return itemgetter(name)
        case [(name, 1)]:
            return lambda names: names[name] + const
    return lambda names: const + sum([c * names[name] for name, c in terms])


def condition(conds: Sequence[Cond]) -> Callable[[Mapping[str, int]], bool]:
    """Whether all of some conditions hold, as a function of names' values, for many of them."""
    equal = [evaluator(c.form) for c in conds if c.equality]
    least = [evaluator(c.form) for c in conds if not c.equality]
    if len(least) == 1 and not equal:
        (form,) = least
        return lambda names: form(names) >= 0
    return lambda names: not any([f(names) for f in equal]) and all([f(names) >= 0 for f in least])


def shape_at(program: Program, array: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """An array's extents at given sizes; one that would be negative is that of a loop that does not run, 0."""
    return tuple(max(0, f.evaluate(sizes)) for f in program.arrays[array].shape)


class Instances:
    """How many times the innermost of some nodes run, at many sizes."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._outermost = _apart(nodes)
        self._inside: dict[int, tuple[list[Loop], int, bool]] = {}

    def at(self, sizes: Mapping[str, int], bound: int) -> int:
        """Their number; if that is above `bound`, a number above it (before executing).

        A loop on whose variable no bound of a loop inside depends is not run: what is inside counts for each iteration.
        """
        return self._count(*self._outermost, dict(sizes), bound)

    def _count(self, loops: list[Loop], others: int, names: dict[str, int], most: int) -> int:
        count = others
        for loop in loops:
            if id(loop) not in self._inside:
                self._inside[id(loop)] = (*_apart(loop.body), _bounds_inside(loop))
            inner, each, bounds = self._inside[id(loop)]
            values = loop.trips(names)
            if not bounds:
                count += len(values) * self._count(inner, each, names, most) if values else 0
            for value in values if bounds else ():
                names[loop.iv] = value
                count += self._count(inner, each, names, most - count)
                if count > most:
                    return count
        return count


def _bounds_inside(loop: Loop) -> bool:
    """Whether a bound of a loop inside depends on the variable of a loop."""
    inner = (node for node in walk(loop.body) if isinstance(node, Loop))
    return any(loop.iv in form.names() for other in inner for form in (*other.lower, *other.upper))


def _apart(nodes: Sequence[Node]) -> tuple[list[Loop], int]:
    """The loops among nodes, and how many others there are; what is guarded counts as if it always ran."""
    loops, others = [], 0
    for node in nodes:
        if isinstance(node, Loop):
            loops.append(node)
        elif isinstance(node, Guard):
            inner, more = _apart(node.body)
            loops, others = loops + inner, others + more
        else:
            others += 1
    return loops, others
