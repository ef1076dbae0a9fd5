"""Reads at positions that are data: `x[idx[i]]`.

What is read is an element of a *gathered* array: its element at (p, j) is x[idx[p]][j]. Such an array is read at affine
subscripts, as any other one; no memory holds it, and its definition (`Gathered`) says what it stands for. `x` and `idx`
must not change while the loops run, which is for the readers of programs to see to.

    before  affine.for %i { %p = affine.load %at[%i]; %x = memref.load %a[%p] }
    after   for i = 0 to 8: x = G6[i]                   where G6 is a[p0] with p0 = at
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Array, Compute, Gathered, Guard, Load, Loop, Node, Store, walk
from raising.support.record import dataclass


@dataclass(frozen=True)
class Position:
    """An integer of an array that says where to read; it is read without its sign if it is `unsigned`."""

    array: str
    subscripts: tuple[Lin, ...]
    unsigned: bool = False


def gathering(
    array: Array, forms: Sequence[Lin], known: Mapping[str, Position], arrays: Mapping[str, Array]
) -> tuple[Gathered, tuple[Lin, ...], tuple[Lin, ...]] | None:
    """What an access at positions reads: the gathered array's definition, its extents and the subscripts there.

    None if a subscript mixes positions with other loop variables than theirs, or with sizes.
    """
    places: dict[Position, str] = {}
    called: dict[str, Lin] = {}
    for form in forms:
        for name in sorted(n for n in form.names() if n in known):
            called[name] = var(places.setdefault(known[name], f"p{len(places)}"))
    moved: list[Lin | None] = []
    first: dict[Lin, Lin] = {}  # the extent of each dimension of the positions, by the subscript there
    for p in places:
        for subscript, extent in zip(p.subscripts, arrays[p.array].shape, strict=True):
            first.setdefault(subscript, extent)
    own, subscripts, extents = tuple(first), list(first), list(first.values())
    for form, extent in zip(forms, array.shape, strict=True):
        found = _over_dims(form, called, own)
        if found is None and form.names() & known.keys():
            return None
        moved.append(found)
        if found is None:
            extents.append(extent)
            subscripts.append(form)
    bases = {array.name, *(p.array for p in places)}
    for one in (array, *(arrays[p.array] for p in places)):
        bases |= one.gathered.bases if one.gathered is not None else frozenset()
    positions = tuple((p.array, p.unsigned, tuple(map(own.index, p.subscripts))) for p in places)
    what = Gathered(array.name, positions, tuple(moved), frozenset(bases), (Lin(0),) * len(extents))
    return what, tuple(extents), tuple(subscripts)


def _over_dims(form: Lin, called: Mapping[str, Lin], own: tuple[Lin, ...]) -> Lin | None:
    """A subscript over positions and the dimensions `d0`, `d1`, … in which these lie; None if it needs more."""
    places = Lin(0)
    for atom, c in form.terms:
        if isinstance(atom, str) and atom in called:
            places, form = places + called[atom].scaled(c), form - var(atom).scaled(c)
    if form.names() & called.keys():
        return None  # in a quotient
    if form.is_const:
        return places + form
    for k, subscript in enumerate(own):
        if (form - subscript).is_const:
            return places + var(f"d{k}") + (form - subscript)
    return None


def without_unused(nodes: tuple[Node, ...], candidates: frozenset[str]) -> tuple[Node, ...]:
    """Nodes without the computation of values among `candidates` that no node needs."""
    while True:
        needed: set[str] = set()
        for node in walk(nodes):
            needed |= (
                set(node.args) if isinstance(node, Compute) else {node.value} if isinstance(node, Store) else set()
            )
        kept = _without(nodes, candidates - needed)
        if kept == nodes:
            return nodes
        nodes = kept


def _without(nodes: tuple[Node, ...], lost: frozenset[str]) -> tuple[Node, ...]:
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop | Guard):
            found.append(replace(node, body=_without(node.body, lost)))
        elif not (isinstance(node, Load | Compute) and node.dst in lost):
            found.append(node)
    return tuple(found)
