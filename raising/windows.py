"""Windows read through what was inserted: a box that lies in the piece is taken from it, one beside it from below.

What a loop carries is updated box by box. A read of an intermediate state would keep that state alive beside
the next one, and so cost a copy of the whole tensor each time.
"""

from __future__ import annotations

from typing import Any

import islpy as isl

from affine.expr import Lin
from affine.program import Program
from affine.scop import context_set, params
from grammar.term import Insert, Term, Window, nodes, rebuild


def seen_through(roots: tuple[Term, ...], program: Program) -> tuple[Term, ...]:
    """Equal terms in which no window reads an inserted box that it is known to miss or to lie in."""
    context = context_set(program)
    new: dict[bytes, Term] = {}
    for node in nodes(roots):
        operands = tuple(new[o.digest] for o in node.operands)
        changed = any(a is not b for a, b in zip(operands, node.operands, strict=True))
        term = rebuild(node, operands) if changed else node
        new[node.digest] = _through(term, program, context) if isinstance(term, Window) else term
    return tuple(new[r.digest] for r in roots)


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
