"""Which sizes keep every access inside of its array; equality of values says nothing of that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from affine.program import Load, Program
from affine.scop import Access, accesses, box_set, context_set
from validate.pair import Pair
from validate.spaces import holds
from validate.vanish import smallest_sizes


@dataclass(frozen=True)
class Outside:
    """An access that leaves its array: where it stands, and at which sizes (an isl parameter set)."""

    access: Access
    sizes: Any

    def text(self, side: str) -> str:
        """What happens, in words."""
        verb = "reads" if isinstance(self.access.node, Load) else "writes"
        place = self.access.node.loc
        return f"the {side} {verb} outside of an array{f' at {place}' if place.line else ''}"


@dataclass(frozen=True)
class Bounds:
    """The sizes at which the source stays inside of its arrays, and what leaves them there, if anything does.

    `source` is an access of the source that leaves its array at the sizes of
    the file (then nothing can be said), `target` one of the target that does
    so where the source does not.
    """

    context: Any
    source: Outside | None
    target: Outside | None


def check_inbounds(pair: Pair) -> Bounds:
    """Compare every access of both programs with the shape of its array, at all sizes."""
    context = context_set(pair.source)
    first = None
    for found in _outside(pair.source, context):
        if first is None or holds(found.sizes, pair.sizes):
            first = found
        context = context.subtract(found.sizes)
    left = first if first is not None and (context.is_empty() or not holds(context, pair.sizes)) else None
    wrong = next(_outside(pair.target, context), None) if left is None else None
    return Bounds(context.coalesce(), left, wrong)


def _outside(program: Program, context: Any) -> Iterator[Outside]:
    for access in accesses(program):
        inside = access.relation.intersect_range(box_set(program, access.node.array))
        bad = access.relation.subtract(inside).domain().params().intersect(context)
        if not bad.is_empty():
            yield Outside(access, bad)


def at_least(found: Outside) -> str:
    """Small sizes at which that happens, in words."""
    sizes = smallest_sizes(found.sizes)
    text = ", ".join(f"{n} = {v}" for n, v in sorted((sizes or {}).items()))
    return f" at {text}" if text else ""
