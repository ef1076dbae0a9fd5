"""Writes an instance of a production at given sizes: the plain way to say it in the target."""

from __future__ import annotations

from collections.abc import Sequence

from grammar.ask import Instance, Typed
from grammar.meaning import Map, Production
from grammar.model import Op
from grammar.reading import Reading


def instance(p: Production, op: Op, sizes: Sequence[int]) -> Instance:
    """An instance of a production without a family; iteration dimension d has extent sizes[d]."""
    shapes = [_shape(p, k, sizes) for k in range(len(p.meaning.maps))]
    operands = []
    for role in p.operands:
        if role == "init":
            operands.append(Typed(p.elements[-1], ()))
        elif role.isdecimal():
            operands.append(Typed(p.elements[int(role)], shapes[int(role)]))
    bound = tuple(role for role in p.operands if role.startswith('"'))
    return Instance(op, tuple(operands), p.attrs, p.region, Typed(p.elements[-1], shapes[-1]), bound=bound)


def _shape(p: Production, number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape of an operand: its map's extents, with dimensions of extent one put in."""
    shape = list(shape_of(p.meaning.maps[number], sizes))
    for unit in sorted(p.units[number]) if p.units else ():
        shape.insert(unit, 1)
    return tuple(shape)


def shape_of(m: Map, sizes: Sequence[int]) -> tuple[int, ...]:
    """The smallest extents that a map stays inside of, for iteration dimension d of extent sizes[d]."""
    return tuple(sizes[e] if isinstance(e, int) else 1 + sum(c * (sizes[d] - 1) for d, c in e) for e in m)


def reading_of(p: Production) -> Reading:
    """What an instance of a production should be read as."""
    start = p.operands.index("init") if "init" in p.operands else -1
    arguments = tuple(p.operands.index(str(k)) for k in range(len(p.elements) - 1))
    return Reading(p.meaning, arguments, start, units=p.units or ((),) * len(p.elements))
