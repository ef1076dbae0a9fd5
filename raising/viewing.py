"""Segments whose subscripts are numbers of several digits, solved over views of their arrays.

Inside, an array has the dimensions that its digits give it; at the border its contents are reshaped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from affine.mlir_segments import Segment
from affine.program import Array
from affine.views import Viewed, needs_views, viewed
from grammar.term import Input, TensorType, reshaped, substitute
from raising.segment_result import SegmentResult


def solved_with_views(segment: Segment, solve: Callable[[Segment], SegmentResult]) -> SegmentResult:
    """What `solve` makes of a segment as it is or over views; as it is, if neither is better."""
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
    result = solve(replace(segment, program=views.program, undefined=segment.undefined | added))
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
