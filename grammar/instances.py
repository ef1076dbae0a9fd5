"""Writes an instance of a production at given sizes: the plain way to say it in the target."""

from __future__ import annotations

from collections.abc import Sequence

from grammar.ask import Instance, Typed
from grammar.meaning import Production
from grammar.model import Op


def instance(p: Production, op: Op, sizes: Sequence[int]) -> Instance:
    """An instance of a production without a family; iteration dimension d has extent sizes[d]."""
    shapes = [tuple(sizes[e] for e in m if isinstance(e, int)) for m in p.meaning.maps]
    operands = []
    for role in p.operands:
        if role == "init":
            operands.append(Typed(p.elements[-1], ()))
        else:
            operands.append(Typed(p.elements[int(role)], shapes[int(role)]))
    return Instance(op, tuple(operands), p.attrs, p.region, Typed(p.elements[-1], shapes[-1]))
