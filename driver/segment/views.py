"""Views of arrays: segments whose subscripts are numbers of several digits, and windows of what was inserted.

Inside of such a segment, an array has the dimensions that its digits give it; at the border its contents are reshaped.

A sequential loop updates the tensor that it carries box by box. A read of an intermediate state would keep that state
alive beside the next one, and so cost a copy of the whole tensor each time. Therefore a read goes through the inserted
box: one that lies in the box is taken from it, one beside it from the state before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Array, Program
from raising.affine.polyhedral.scop import context_set, params
from raising.affine.transforms.array_reshape import Viewed, needs_views, viewed
from raising.frontend.mlir.segments import Segment
from raising.grammar.terms.term import Input, Insert, TensorType, Term, Window, reshaped, rewritten_terms, substitute
from raising.segment.segment_result import SegmentResult


def solved_with_views(segment: Segment, solve: Callable[[Segment], SegmentResult]) -> SegmentResult:
    """The result of `solve` for a segment as it is or over views; as it is, if neither is better."""
    first = needs_views(segment.program)
    views = viewed(segment.program) if first else None
    over = _over(segment, views, solve) if views else None
    if over is not None and over.size[:2] == (False, 0):
        return over
    plain = solve(segment)
    if not first and plain.size[:2] != (False, 0) and (views := viewed(segment.program)):
        over = _over(segment, views, solve)
    return over if over is not None and over.size < plain.size else plain


def _over(segment: Segment, views: Viewed, solve: Callable[[Segment], SegmentResult]) -> SegmentResult:
    """A segment solved over views, its terms over the arrays that there are."""
    added = views.program.arrays.keys() - segment.program.arrays.keys()
    result = solve(replace(segment, program=views.program, undefined=segment.undefined | added, told=frozenset()))
    arrays, memory = result.program.arrays, segment.program.arrays
    given = {}
    for name in views.groups.keys() & arrays.keys():
        seen = Input(TensorType(arrays[name].element, arrays[name].shape), name)
        given[seen.digest] = reshaped(Input(_kind(memory[name]), name), seen.type, _counts(views, name))
    roots = substitute(tuple(result.terms.values()), given)
    terms = {
        name: reshaped(root, _kind(memory[name]), _counts(views, name)) if name in views.groups else root
        for name, root in zip(result.terms, roots, strict=True)
    }
    shapes = {n: replace(a, shape=memory[n].shape) if n in views.groups else a for n, a in arrays.items()}
    return replace(result, program=replace(result.program, arrays=shapes), terms=terms)


def _kind(array: Array) -> TensorType:
    return TensorType(array.element, array.shape)


def _counts(views: Viewed, array: str) -> tuple[int, ...]:
    """The number of dimensions that each of an array's own stands for."""
    return tuple(map(len, views.groups[array]))


def seen_through(roots: tuple[Term, ...], program: Program) -> tuple[Term, ...]:
    """Equal terms in which no window reads an inserted box that it is known to miss or to lie in."""
    context = context_set(program)

    def change(_: Term, term: Term) -> Term:
        return _through(term, program, context) if isinstance(term, Window) else term

    return rewritten_terms(roots, change)


def _through(window: Window, program: Program, context: Any) -> Term:
    while isinstance(window.source, Insert):
        below = window.source
        if any(s != 1 for s in (*window.strides, *below.strides)):
            return window
        read = _box(window.offsets, window.kept, window.type.dims, program).intersect_params(context)
        made = _box(below.offsets, below.kept, below.piece.type.dims, program).intersect_params(context)
        if read.intersect(made).is_empty():
            window = Window(window.type, below.into, window.offsets, window.kept, window.strides)
        elif read.is_subset(made) and set(window.kept) <= set(below.kept):
            return _within(window, below)
        else:
            return window
    return window


def _within(window: Window, below: Insert) -> Term:
    """A window that lies in an inserted piece, as a window of the piece."""
    offsets = tuple(window.offsets[d] - below.offsets[d] for d in below.kept)
    kept = tuple(below.kept.index(d) for d in window.kept)
    if all(o == Lin() for o in offsets) and window.type == below.piece.type:
        return below.piece
    return Window(window.type, below.piece, offsets, kept, (1,) * len(offsets))


def _box(offsets: tuple[Lin, ...], kept: tuple[int, ...], extents: tuple[Lin, ...], program: Program) -> Any:
    names = [f"e{k}" for k in range(len(offsets))]
    length = dict(zip(kept, extents, strict=True))
    conds = []
    for k, (name, low) in enumerate(zip(names, offsets, strict=True)):
        high = low + length.get(k, Lin(1))
        conds.append(f"{low.isl()} <= {name} < {high.isl()}")
    return isl.Set(f"{params(program)}{{ [{', '.join(names)}] : {' and '.join(conds) or 'true'} }}")
