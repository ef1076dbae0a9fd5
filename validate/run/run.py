"""A loop program, or both of a pair, run at given sizes in any arithmetic, on numbers that are called leaves.

Arguments of a pair have the same leaves on both sides. The contents of an array before it is written are leaves of its
own, per side, equal to nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.integer_types import is_integer, wrapped
from raising.affine.ir.interpreter import Arithmetic, Instances, Machine, Memory, OutOfBounds
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, walk
from raising.affine.ir.spans import Span, of_form, of_loop
from raising.grammar.evaluate.number import Unsupported
from raising.support.record import dataclass
from raising.validate.base.verdict import subscripts
from raising.validate.reading.pair import Assumptions, Pair

MAX_ELEMENTS = 200_000
MAX_INSTANCES = 400_000


class TooLarge(Exception):
    """A run that would take too long; the message is the reason of an `Unknown`."""


@dataclass(frozen=True)
class Leaf:
    """One number that a program is given: an element of an argument, or of memory before it is written (`side`).

    A `truth` is 0 or 1.
    """

    name: str
    index: tuple[int, ...]
    element: str
    side: str = ""
    truth: bool = False

    def __str__(self) -> str:
        return self.name + subscripts(self.index)


Leaves = Callable[[Leaf], Any]
Memories = dict[str, Memory[Any]]
SIDES = ("source", "target")


class Given(dict[Leaf, Any]):
    """The numbers of leaves, each drawn when it is first asked for: two programs are given the same ones."""

    def __init__(self, draw: Leaves) -> None:
        super().__init__()
        self.draw = draw

    def __missing__(self, leaf: Leaf) -> Any:
        self[leaf] = self.draw(leaf)
        return self[leaf]


@dataclass(frozen=True)
class Element:
    """An element of an output: its place and its type, and its values after the runs of both programs."""

    output: str
    index: tuple[int, ...]
    element: str
    source: Any
    target: Any

    @property
    def place(self) -> str:
        """The output and the index in words."""
        return self.output + subscripts(self.index)


def run_both(
    pair: Pair,
    sizes: Mapping[str, int],
    arithmetic: Callable[[Mapping[str, str]], Arithmetic[Any]],
    leaf: Leaves,
    known: Assumptions,
    machines: Sequence[Callable[..., Machine[Any]]] = (Machine, Machine),
) -> tuple[Memories, Memories]:
    """The final memories of both programs; `arithmetic` makes that of a program from the types of its values."""
    before, after = (
        execute(p, sizes, arithmetic(elements_of(p)), leaf, known, side, machine)
        for p, side, machine in zip((pair.source, pair.target), SIDES, machines, strict=True)
    )
    return before, after


def output_elements(pair: Pair, memories: tuple[Memories, Memories]) -> Iterator[Element]:
    """The elements of all outputs, in order; `Unsupported` if one has other extents in the target."""
    before, after = memories
    for (one, other), label in zip(pair.outputs, pair.labels, strict=True):
        if before[one].shape != after[other].shape:
            raise Unsupported(f"{label} has other extents in the target")
        element = pair.source.arrays[one].element
        for index, a, b in zip(_indices(before[one].shape), before[one].data, after[other].data, strict=True):
            yield Element(label, index, element, a, b)


def elements_of(program: Program) -> dict[str, str]:
    """The element type of every value."""
    found = {s.name: s.element for s in program.scalars.values()}
    for node in walk(program.body):
        if isinstance(node, Load):
            found[node.dst] = program.arrays[node.array].element
        elif isinstance(node, Compute | IndexValue):
            found[node.dst] = node.element
    return found


def uses_floats(program: Program) -> bool:
    """True if floats are computed with, compared or converted, or one is -0.0; to copy them is none of that."""
    elements = elements_of(program)
    if any(s.literal == "-0.0" for s in program.scalars.values()):
        return True
    found = (
        x for n in walk(program.body) if isinstance(n, Compute) for x in (n.element, *(elements[a] for a in n.args))
    )
    return any(not x.startswith("i") for x in found)


def leaf_of(name: str, index: tuple[int, ...], element: str, known: Assumptions) -> Leaf | None:
    """The leaf that an element of an argument is, or None for an element known to be zero."""
    if len(index) == 2:
        row, column = index
        if (name in known.lower and column > row) or (name in known.upper and row > column):
            return None
        if name in known.symmetric and column > row:
            index = (column, row)
    return Leaf(name, index, element, truth=name in known.truths)


def execute(
    program: Program,
    sizes: Mapping[str, int],
    arithmetic: Arithmetic[Any],
    leaf: Leaves,
    known: Assumptions,
    side: str,
    machine: Callable[..., Machine[Any]] = Machine,
) -> Memories:
    """Run a program on a kind of machine; the final memories. `OutOfBounds` and `TooLarge` are raised.

    An integer of a pair (`a2` in a program of some `side`) that is a size, too (`n2`), is given as that.
    """
    if Instances(program.body).at(sizes, MAX_INSTANCES) > MAX_INSTANCES:
        raise TooLarge(f"more than {MAX_INSTANCES} steps at {sizes_text(sizes)}")

    def given(one: Leaf) -> Any:
        both = side and one.name.startswith("a") and not one.index and is_integer(one.element)
        number = sizes.get(f"n{one.name[1:]}") if both else None
        return leaf(one) if number is None else arithmetic.literal(wrapped(number, one.element), one.element)

    memory = dict(_memories(program, sizes, arithmetic, given, known, side))
    scalars = {
        s.name: given(Leaf(s.name, (), s.element, truth=s.name in known.truths))
        if s.literal is None
        else arithmetic.literal(s.literal, s.element)
        for s in program.scalars.values()
        if s.element != "index" or s.literal is not None
    }
    machine(arithmetic, sizes, memory, scalars).run(program.body)
    return memory


def _memories(
    program: Program, sizes: Mapping[str, int], arithmetic: Arithmetic[Any], leaf: Leaves, known: Assumptions, side: str
) -> Iterator[tuple[str, Memory[Any]]]:
    extents = shapes(program, sizes)
    for array in program.arrays.values():
        shape = extents[array.name]
        count = 1
        if array.kind == "argument" or array.clamped:
            shape = tuple(max(0, extent) for extent in shape)
        for extent in shape:
            if extent < 0:
                raise OutOfBounds(f"array {array.name} has a negative extent at {sizes_text(sizes)}")
            count *= extent
        if count > MAX_ELEMENTS:
            raise TooLarge(f"an array of {count} elements")
        data = []
        for index in _indices(shape):
            given: Leaf | None = Leaf(array.name, index, array.element, side)
            if array.kind == "argument":
                given = leaf_of(array.name, index, array.element, known)
            data.append(arithmetic.literal(0, array.element) if given is None else leaf(given))
        yield array.name, Memory(shape, data)


def shapes(program: Program, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The extents of every array; one that is allocated in a loop has the largest that it needs."""
    spans = _spans(program.body, {n: (v, v) for n, v in sizes.items()})
    return {a.name: tuple(_extent(f, spans, sizes) for f in a.shape) for a in program.arrays.values()}


def _spans(nodes: tuple[Node, ...], outer: Mapping[str, Span]) -> dict[str, Span]:
    """Between which numbers each iterator stays: the extent of an array made in a loop is the largest it can have."""
    spans = dict(outer)
    for node in nodes:
        if isinstance(node, Loop) and (span := of_loop(node.lower, node.upper, spans)) is not None:
            spans[node.iv] = span
        if isinstance(node, Loop | Guard):
            spans |= _spans(node.body, spans)
    return spans


def _extent(form: Lin, spans: Mapping[str, Span], sizes: Mapping[str, int]) -> int:
    span = of_form(form, spans)
    if span is None:
        return 0  # it is made in a loop that never runs, and is gone
    return span[1] if form.names() <= sizes.keys() else max(0, span[1])


def _indices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The places of the elements of an array, in the order of its data."""
    return product(*map(range, shape))


def sizes_text(sizes: Mapping[str, int]) -> str:
    """Sizes in one line."""
    return " ".join(f"{n}={v}" for n, v in sorted(sizes.items())) or "the file's sizes"
