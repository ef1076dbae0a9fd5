"""Terms of a recurrence that are computed along its rows, before they are transposed.

Where a vector goes across lines that are rows in memory, each array that is read costs a transposition. What only
reads such arrays and depends on no earlier iteration, as the right-hand side of a line solver, can be computed along
the rows, with the same operations on the same elements; its value alone is transposed then.

    before  x = transposed(a) + transposed(b) + transposed(c); y = x * (the y of the iteration before)
    after   x = transposed(a + b + c); y = x * (the y of the iteration before)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import dim
from raising.native.nest.nest import Access, Array, Nest
from raising.support.record import dataclass

ROW, ALONG = 0, 1


@dataclass(frozen=True)
class RowTerm:
    """The value `name` of `nest`, whose reads have the iterations as dimension `ALONG`; `access` stands for it."""

    access: Access
    nest: Nest
    name: str


def row_terms(nest: Nest, number: int, time: str, whole: Callable[[Access], bool]) -> tuple[Nest, list[RowTerm]]:
    """The nest with accesses in place of such terms, and these; `whole` tells what is read by rows and never written.

    `number` is the nest's own among those of the recurrence.
    """
    along = _along_rows(nest, whole, time)
    ends = [name for name in _ends(nest, along) if name[0] == "v"]
    read = {leaf for name in ends for leaf in _leaves(nest, name) if whole(nest.reads[int(leaf[2:])])}
    others = {name for name in _ends(nest, along) if name[0] != "v"}
    numbers = all(nest.body[int(name[1:])].result not in ("i1", "index") for name in ends)
    if not ends or not numbers or len(ends) >= len(read - others):
        return nest, []
    renamed = {name: f"in{len(nest.reads) + place}" for place, name in enumerate(ends)}
    moved = replace(nest, reads=tuple(read.moved({time: dim(ALONG)}) for read in nest.reads))
    terms = [RowTerm(_stand_in(nest, (number, name), time), moved, name) for name in ends]
    body = tuple(replace(s, args=tuple(renamed.get(arg, arg) for arg in s.args)) for s in nest.body)
    yields = tuple(renamed.get(name, name) for name in nest.yields)
    reads = (*nest.reads, *(term.access for term in terms))
    return replace(nest, reads=reads, body=body, yields=yields), terms


def _stand_in(nest: Nest, which: tuple[int, str], time: str) -> Access:
    """An element for each line and iteration of an array that is nowhere."""
    kind, name = nest.body[int(which[1][1:])].result, f"term.{which[0]}.{which[1]}"
    array = Array(name, kind, f"memref<?x?x{kind}>", (dim(name), dim(name)), (None, 1), None, name)
    return Access(array, (dim(ROW), dim(time)))


def _along_rows(nest: Nest, whole: Callable[[Access], bool], time: str) -> set[str]:
    """The names of values that are computed from reads by rows and from what all lines and iterations share."""
    shared, along = {name for name, _ in nest.captured}, set[str]()
    for number, read in enumerate(nest.reads):
        if whole(read):
            along.add(f"in{number}")
    for number, scalar in enumerate(nest.body):
        if scalar.name == "linalg.index":
            continue
        if all(arg in shared for arg in scalar.args):
            shared.add(f"v{number}")
        elif all(arg in shared or arg in along for arg in scalar.args):
            along.add(f"v{number}")
    return along


def _ends(nest: Nest, along: set[str]) -> list[str]:
    """The values along rows that something else needs."""
    live, found = nest.live, list[str](nest.yields)
    for number, scalar in enumerate(nest.body):
        name = f"v{number}"
        found += scalar.args if name in live and name not in along else ()
    return [name for name in dict.fromkeys(found) if name in along]


def _leaves(nest: Nest, name: str) -> Iterator[str]:
    """The reads that a value depends on."""
    if name.startswith("in"):
        yield name
    elif name[0] == "v":
        for arg in nest.body[int(name[1:])].args:
            yield from _leaves(nest, arg)
