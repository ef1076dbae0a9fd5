"""The sizes that keep every access inside of its array; equality of values says nothing of that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond, Lin, const
from raising.affine.ir.program import Load, Program
from raising.affine.polyhedral.chambers import outside
from raising.affine.polyhedral.scop import Access, accesses, context_set, holds, params, sizes_where
from raising.support.record import dataclass
from raising.validate.normal_form.cases import cases
from raising.validate.normal_form.is_zero import smallest_sizes
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.reading.same_text import same_text


@dataclass(frozen=True)
class Outside:
    """An access that leaves its array: where it stands, and at which sizes (an isl parameter set)."""

    access: Access
    sizes: Any

    def text(self, side: str, file: str) -> str:
        """The access in words; `file` is the name of the side's file."""
        verb = "reads" if isinstance(self.access.node, Load) else "writes"
        place = replace(self.access.node.loc, file=file)
        return f"the {side} {verb} outside of an array{f' at {place}' if place.line else ''}"


@dataclass(frozen=True)
class Bounds:
    """The sizes at which the source stays inside of its arrays, and what leaves them there, if anything does.

    `source` is an access of the source that leaves its array at the sizes of
    the file (then nothing can be said), `target` one of the target that does
    so where the source does not. `narrowed` if some sizes are left out of the
    context because one of them does; `same_outside` if both programs are the same at these.
    """

    context: Any
    narrowed: bool
    source: Outside | None
    target: Outside | None
    same_outside: bool = False


def check_inbounds(pair: Pair, assumed: Assumptions = Assumptions()) -> Bounds:  # noqa: B008 (it is frozen)
    """Compare every access of both programs with the shape of its array, at all sizes that are assumed."""
    everything = _assumed(pair, assumed, _tied(pair))
    context = _made(pair.target, _made(pair.source, everything))
    first = None
    for found in _outside(pair.source, context):
        if first is None or holds(found.sizes, pair.sizes):
            first = found
        context = context.subtract(found.sizes)
    left = first if first is not None and (context.is_empty() or not holds(context, pair.sizes)) else None
    wrong = None
    for found in _of_target(pair, context) if left is None else ():
        wrong = found if wrong is None or holds(found.sizes, pair.sizes) else wrong
        if holds(found.sizes, pair.sizes):
            break
        context = context.subtract(found.sizes)
    narrowed = not context.is_equal(everything)
    same = narrowed and all(
        case.same for case in cases(pair, everything.subtract(context)) if not case.sizes.is_empty()
    )
    return Bounds(context.coalesce(), narrowed, left, wrong, same)


def _tied(pair: Pair) -> Any:
    """All sizes, with those extents equal that operations of the source take for equal (which an answer tells)."""
    everything = context = context_set(pair.source)
    for tie in (a for a in pair.assumed if a.kind == "extent" and a.needed_by == "source"):
        one, other = (_extent(pair, text) for text in tie.condition.split(" = "))
        if one is not None and other is not None and one.names() | other.names() <= set(pair.source.sizes):
            context = context.intersect(sizes_where(pair.source, [Cond(one - other, True)]))
    return everything if context.is_empty() else context


def _assumed(pair: Pair, assumed: Assumptions, everything: Any) -> Any:
    """Those sizes at which all holds that is assumed of them."""
    texts = [text for names, text in assumed.sizes if names <= set(pair.source.sizes)]
    if not texts:
        return everything
    context = everything.intersect(isl.Set(f"{params(pair.source)}{{ : {' and '.join(texts)} }}"))
    return everything if context.is_empty() else context


def _extent(pair: Pair, text: str) -> Lin | None:
    """A number, or the extent of an argument, as `tied_extents` writes them; None where there is none."""
    place = re.fullmatch(r"(a\d+)_(\d+)", text)
    if place is None:
        return const(int(text)) if text.isdecimal() else None
    array = pair.source.arrays.get(place[1])
    return array.shape[int(place[2])] if array is not None and int(place[2]) < len(array.shape) else None


def _of_target(pair: Pair, context: Any) -> Iterator[Outside]:
    """The accesses of the target that may leave their arrays; accesses that the source does too are in bounds."""
    for case in cases(pair, context):
        if not same_text(case.pair, accesses=True):
            yield from _outside(case.pair.target, case.sizes)


def _made(program: Program, context: Any) -> Any:
    """The sizes at which every array that a program makes has an extent."""
    for form in (f for a in program.arrays.values() if a.kind != "argument" and not a.clamped for f in a.shape):
        if form.names() <= set(program.sizes):
            context = context.intersect(sizes_where(program, [Cond(form)]))
    return context


def _outside(program: Program, context: Any) -> Iterator[Outside]:
    for access in accesses(program):
        bad = outside(program, access).intersect(context)
        if not bad.is_empty():
            yield Outside(access, bad)


def at_least(found: Outside) -> str:
    """Small sizes at which that happens, in words."""
    sizes = smallest_sizes(found.sizes)
    text = ", ".join(f"{n} = {v}" for n, v in sorted((sizes or {}).items()))
    return f" at {text}" if text else ""
