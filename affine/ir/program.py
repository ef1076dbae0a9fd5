"""The loop program: loops, guards, loads, scalar computations and stores.

This is what every reader yields and what the executable reference runs. It
is deliberately as small as the static-control subset itself: everything an
MLIR or C loop nest can say has been resolved into these five nodes, each of
which keeps the place it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Gathered:
    """What an array that no memory holds stands for: `array`, read at positions that are data.

    Its first dimensions are those of the integer arrays in `positions` (name, whether it is read without its sign, and
    at which dimensions); then come the dimensions of `array` that have no entry in `forms`. An entry is the subscript
    there, over `p0`, `p1`, … for the integers and `d0`, `d1`, … for their dimensions. `low` is the place of the first
    element, and `bases` are all arrays that are read.
    """

    array: str
    positions: tuple[tuple[str, bool, tuple[int, ...]], ...]
    forms: tuple[Lin | None, ...]
    bases: frozenset[str]
    low: tuple[Lin, ...]


@dataclass(frozen=True)
class Array:
    """A memory of known rank. `kind` is `argument`, `local` (allocated), `scalar` (a loop-carried value) or `gathered`
    (no memory, but what `gathered` says).

    It has no elements if an extent is below 0; to allocate such a memory is undefined, unless it is `clamped`.
    """

    name: str
    element: str
    shape: tuple[Lin, ...]
    kind: str
    clamped: bool = False
    gathered: Gathered | None = None


@dataclass(frozen=True)
class Load:
    """`dst = array[subscripts]`."""

    dst: str
    array: str
    subscripts: tuple[Lin, ...]
    loc: Loc


@dataclass(frozen=True)
class Compute:
    """`dst = op(args)`; `attrs` are (name, MLIR text); `element` is the type of `dst`."""

    dst: str
    op: str
    args: tuple[str, ...]
    attrs: tuple[tuple[str, str], ...]
    element: str
    loc: Loc


@dataclass(frozen=True)
class IndexValue:
    """`dst = form`: an index expression used as data."""

    dst: str
    form: Lin
    element: str
    loc: Loc


@dataclass(frozen=True)
class Store:
    """`array[subscripts] = value`: the unit that becomes a statement, named by `label`."""

    label: str
    array: str
    subscripts: tuple[Lin, ...]
    value: str
    loc: Loc


@dataclass(frozen=True)
class Guard:
    """`body` where all `conds` hold."""

    conds: tuple[Cond, ...]
    body: tuple[Node, ...]
    loc: Loc


@dataclass(frozen=True)
class Loop:
    """`for iv = max(lower) to min(upper) step step` (upper exclusive, step > 0).

    Loops of one `parallel` operation name it, by a name of its own: their iterations have no order.
    """

    iv: str
    lower: tuple[Lin, ...]
    upper: tuple[Lin, ...]
    step: int
    body: tuple[Node, ...]
    loc: Loc
    parallel: str = ""

    def trips(self, names: Mapping[str, int]) -> range:
        """The values of the variable, where `names` gives those of sizes and variables around."""
        low, high = max(f.evaluate(names) for f in self.lower), min(f.evaluate(names) for f in self.upper)
        return range(low, high, self.step)


Node = Loop | Guard | Load | Compute | IndexValue | Store


@dataclass(frozen=True)
class Scalar:
    """A scalar that is defined outside of the loops: `literal` is its value if it is a constant."""

    name: str
    element: str
    literal: str | None = None


@dataclass(frozen=True)
class Program:
    """A run of loop nests with the memories, scalars and size names they use.

    `outer` are loops around the run that stay loops (their bodies left out);
    their variables are sizes of it, within `context`. Sizes that others determine are `derived`: each with its form
    over sizes before it.
    """

    name: str
    arrays: dict[str, Array]
    scalars: dict[str, Scalar]
    body: tuple[Node, ...]
    live_out: frozenset[str]
    sizes: tuple[str, ...] = ()
    context: tuple[Cond, ...] = ()
    outer: tuple[Loop, ...] = ()
    derived: tuple[tuple[str, Lin], ...] = ()

    def stores(self) -> Iterator[Store]:
        """Every store, in text order."""
        return (n for n in walk(self.body) if isinstance(n, Store))


def extents_known(arrays: Iterable[Array], positive: Iterable[Lin]) -> tuple[Cond, ...]:
    """Known conditions on extents: one named after its array is at least 0, and each of `positive` at least 1."""
    own = [Cond(extent) for a in arrays for d, extent in enumerate(a.shape) if extent == var(f"{a.name}_{d}")]
    return tuple(dict.fromkeys([*own, *(Cond(extent - 1) for extent in positive if not extent.is_const)]))


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Every node, parents before children, in text order."""
    for node in nodes:
        yield node
        if isinstance(node, Loop | Guard):
            yield from walk(node.body)


def forms(node: Node) -> tuple[Lin, ...]:
    """Every affine form that a node itself holds: bounds, conditions, subscripts, index values."""
    match node:
        case Loop():
            return (*node.lower, *node.upper)
        case Guard():
            return tuple(c.form for c in node.conds)
        case Load() | Store():
            return node.subscripts
        case IndexValue():
            return (node.form,)
        case _:
            return ()
