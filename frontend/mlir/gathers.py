"""Reads at positions that are data: `x[idx[i]]`.

What is read is an element of a *gathered* array: its element at (p, j) is x[idx[p]][j]. Such an array is read at affine
subscripts, as any other one; no memory holds it, and its definition (`Gathered`) says what it stands for. `x` and `idx`
must not change while the loops run, which is for the readers of programs to see to.

    before  for i, j: p = idx[i];  y[i, j] = x[p + 1, j]
    after   for i, j: y[i, j] = G[i, j]                     G is x[p0 + 1, d1] with p0 = idx at d0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Array, Gathered
from raising.support.record import dataclass


@dataclass(frozen=True)
class Position:
    """An integer of an array that says where to read; it is read without its sign if it is `unsigned`."""

    array: str
    subscripts: tuple[Lin, ...]
    unsigned: bool = False


@dataclass(frozen=True)
class Access:
    """A read of a gathered array: its definition, its extents, and the subscripts that are read."""

    gathered: Gathered
    extents: tuple[Lin, ...]
    subscripts: tuple[Lin, ...]


def gathering(
    array: Array, forms: Sequence[Lin], known: Mapping[str, Position], arrays: Mapping[str, Array]
) -> Access | None:
    """The gathered array that an access reads, some of whose subscripts `forms` are over `known` positions.

    None if a subscript mixes positions with other loop variables than theirs, or with sizes.
    """
    numbers: dict[Position, int] = {}
    names: dict[str, Lin] = {}  # `p0`, `p1`, … by the names in the subscripts
    for form in forms:
        for name in sorted(form.names() & known.keys()):
            names[name] = var(f"p{numbers.setdefault(known[name], len(numbers))}")
    extent_of: dict[Lin, Lin] = {}  # of each dimension of the positions, by the subscript there
    for position in numbers:
        for subscript, extent in zip(position.subscripts, arrays[position.array].shape, strict=True):
            extent_of.setdefault(subscript, extent)
    dims = tuple(extent_of)
    moved = tuple(_over_dims(form, names, dims) for form in forms)
    if any(new is None and form.names() & known.keys() for new, form in zip(moved, forms, strict=True)):
        return None
    kept = [k for k, new in enumerate(moved) if new is None]  # dimensions of the array itself
    extents = (*extent_of.values(), *(array.shape[k] for k in kept))
    read = [array, *(arrays[position.array] for position in numbers)]
    bases = {a.name for a in read}.union(*(a.gathered.bases for a in read if a.gathered is not None))
    positions = tuple((p.array, p.unsigned, tuple(map(dims.index, p.subscripts))) for p in numbers)
    gathered = Gathered(array.name, positions, moved, frozenset(bases), (Lin(0),) * len(extents))
    return Access(gathered, extents, (*dims, *(forms[k] for k in kept)))


def _over_dims(form: Lin, names: Mapping[str, Lin], dims: tuple[Lin, ...]) -> Lin | None:
    """A subscript over positions and the dimensions `d0`, `d1`, … in which these lie; None if it needs more."""
    positions = Lin(0)
    for atom, c in form.terms:
        if isinstance(atom, str) and atom in names:
            positions, form = positions + names[atom].scaled(c), form - var(atom).scaled(c)
    if form.names() & names.keys():
        return None  # in a quotient
    if form.is_const:
        return positions + form
    for k, subscript in enumerate(dims):
        if (form - subscript).is_const:
            return positions + var(f"d{k}") + (form - subscript)
    return None
