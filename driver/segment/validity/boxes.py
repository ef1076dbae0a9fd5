"""The sizes at which a term's windows leave what they are windows of, where the loops touch no more than memory has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Program
from raising.affine.polyhedral.chambers import in_bounds
from raising.affine.polyhedral.scop import Access, context_set
from raising.grammar.terms.term import Insert, Recur, Term, Window, nodes, within


def leaving(program: Program, terms: Mapping[str, Term], found: list[Access]) -> Any:
    """The sizes at which some window or insertion that has elements is not inside of its tensor.

    Every access of the loops is inside of its array: an array of unknown length is as long as they need.
    """
    names = _sizes(program)
    outside = [text for term in nodes(tuple(terms.values())) for text in _outside(term, names)]
    return _where(program, outside, names, found)


def leave_in_loops(program: Program, terms: Mapping[str, Term], found: list[Access]) -> bool:
    """Whether a window or insertion in a loop that stays leaves its tensor in some iteration.

    A condition in the loops may be why they do not: a selection asks it behind the window.
    """
    steps = {repr(t.step): t.step for t in within(tuple(terms.values())) if isinstance(t, Recur)}
    ends = {
        s.iv: [f"{f.isl()} <= {s.iv}" for f in s.lower] + [f"{s.iv} < {f.isl()}" for f in s.upper]
        for s in steps.values()
    }
    if not ends:
        return False
    names = _sizes(program) | ends.keys()
    outside = [text for s in steps.values() for term in nodes(s.results) for text in _outside(term, names)]
    bounds = " and ".join(end for all_of in ends.values() for end in all_of)
    return not _where(program, [f"({text} and {bounds})" for text in outside], names, found).is_empty()


def _sizes(program: Program) -> frozenset[str]:
    return frozenset(program.sizes).union(n for a in program.arrays.values() for form in a.shape for n in form.names())


def _where(program: Program, conditions: list[str], names: frozenset[str], found: list[Access]) -> Any:
    """Where one of some conditions holds and every access is inside of its array."""
    condition = " or ".join(dict.fromkeys(conditions)) or "false"
    beyond = isl.Set(f"[{', '.join(sorted(names))}] -> {{ : {condition} }}")
    return beyond.intersect(in_bounds(program, found, context_set(program)))


def _outside(term: Term, names: frozenset[str]) -> Iterator[str]:
    """Conditions under which a term leaves what it is a part of."""
    if isinstance(term, Window):
        whole, piece = term.source.type.dims, term.type.dims
    elif isinstance(term, Insert):
        whole, piece = term.into.type.dims, term.piece.type.dims
    else:
        return
    extents = dict(zip(term.kept, piece, strict=True))
    if not frozenset().union(*(e.names() for e in piece)) <= names:
        return
    some = " and ".join(f"{e.isl()} >= 1" for e in piece) or "true"
    for k, (extent, low, stride) in enumerate(zip(whole, term.offsets, term.strides, strict=True)):
        high = low + (extents.get(k, Lin(1)) - 1).scaled(stride)
        for gap in (low, extent - 1 - high):
            if gap.names() <= names and not (gap.is_const and gap.const >= 0):
                yield f"({some} and {gap.isl()} < 0)"
