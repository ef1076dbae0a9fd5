"""Frames of constant extent: boxes of elements in the body of a sequential loop, of one size in every iteration.

A target whose tensors have constant extents cannot speak of the first `t` elements. There the box is that of all
iterations, and a mask says which of its elements belong to the current one.
"""

from __future__ import annotations

from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Program
from raising.affine.polyhedral.bounding_box import Box, affine_form, box_of
from raising.affine.polyhedral.scop import Access, for_some, params, sizes_where, telling_set
from raising.support.record import dataclass

Range = tuple[Lin, Lin]


@dataclass(frozen=True)
class Reach:
    """A box of constant extent, and how many elements there have to be before and after the array for it."""

    box: Box
    before: tuple[Lin, ...]
    after: tuple[Lin, ...]

    @property
    def inside(self) -> bool:
        """True if the box never leaves the array."""
        return all(n == Lin() for n in (*self.before, *self.after))


def constant_box(access: Access, program: Program) -> Reach | None:
    """What an access spans along each dimension, of an extent without variables of loops that stay.

    None if it has none for all sizes.
    """
    varying = {loop.iv for loop in program.outer}
    ranges = _ranges(access, program, varying)
    if ranges is None:
        return None
    box = spanned(access, ranges)
    if box is None:
        return None
    if any(e.names() & varying for e in box.extents):
        return None
    shape = program.arrays[access.node.array].shape
    known = _inside(box, shape, program, varying)
    before = [_most(-a, known, program, varying) for a in box.low]
    after = [_most(b + 1 - n, known, program, varying) for b, n in zip(box.high, shape, strict=True)]
    if any(n is None for n in (*before, *after)):
        return None
    return Reach(box, tuple(n for n in before if n is not None), tuple(n for n in after if n is not None))


def spanned(access: Access, ranges: dict[str, Range]) -> Box | None:
    """The box of an access whose loop variables take all values in their ranges."""
    low, high = [], []
    for form in access.node.subscripts:
        first = last = Lin(form.const)
        for atom, c in form.terms:
            if not isinstance(atom, str):
                return None
            a, b = ranges.get(atom, (var(atom), var(atom)))
            first, last = first + (a if c > 0 else b).scaled(c), last + (b if c > 0 else a).scaled(c)
        low.append(first)
        high.append(last)
    return Box(tuple(low), tuple(high), (1,) * len(low))


def _inside(box: Box, shape: tuple[Lin, ...], program: Program, varying: set[str]) -> Any:
    """The sizes at which a box that is the same in all iterations is inside of its array, as what is accessed is."""
    bounds = [f for a, b, n in zip(box.low, box.high, shape, strict=True) for f in (a, n - 1 - b)]
    return sizes_where(program, [Cond(f) for f in bounds if not f.names() & varying]).intersect(telling_set(program))


def _most(form: Lin, known: Any, program: Program, varying: set[str]) -> Lin | None:
    """The largest value of a form, or 0, over all iterations of the loops that stay."""
    values = isl.Set(f"{params(program)}{{ [x] : x = 0 or x = {form.isl()} }}").intersect_params(known)
    values = for_some(values, varying)
    return affine_form(values.dim_max(0).coalesce().gist(values.params()))


def _ranges(access: Access, program: Program, varying: set[str]) -> dict[str, Range] | None:
    """Each loop variable's first and last value; over all iterations of the loops that stay, where that varies."""
    ones = (1,) * len(access.ivs)
    here = box_of(access.domain, program, ones)
    if here is None:
        return None
    found = {}
    always: dict[str, Range] | None = None
    for iv, low, high in zip(access.ivs, here.low, here.high, strict=True):
        if not (high - low).names() & varying:
            found[iv] = (low, high)
            continue
        always = _always(access, program, varying) if always is None else always
        if always is None or iv not in always:
            return None
        found[iv] = always[iv]
    return found


def _always(access: Access, program: Program, varying: set[str]) -> dict[str, Range]:
    """Each loop variable's first and last value over all iterations of the loops that stay."""
    known = telling_set(program)
    domain = for_some(access.domain.intersect_params(known), varying)
    found = {}
    for k, iv in enumerate(access.ivs):
        low, high = (affine_form(f.gist(known)) for f in (domain.dim_min(k), domain.dim_max(k)))
        if low is not None and high is not None:
            found[iv] = (low, high)
    return found
