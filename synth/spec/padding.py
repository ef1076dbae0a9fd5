"""Padding: loads that conditions keep inside of their array are loads from an array with zeros around it.

`if (0 <= i + k && i + k < n) s += x[i + k] * w[k];` adds the same over all `i` and `k`, where `x` is zero outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import islpy as isl

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Guard, Loop, Node, Program
from raising.affine.ir.rewriting import with_loops
from raising.affine.polyhedral.bounding_box import Box, affine_form, box_of
from raising.affine.polyhedral.scop import Access, accesses, params, telling_set
from raising.grammar.terms.pointwise import filled
from raising.grammar.terms.term import Input, Insert, TensorType, Term, Window
from raising.synth.spec.constant_boxes import spanned


def unguarded(program: Program) -> Program:
    """The program without its conditions on loop variables: what its loops alone would span.

    Bounds of loops are such conditions, too, where they ask for the variables of other loops.
    """
    return replace(program, body=_open(program.body, frozenset(program.sizes), {}))


_Ranges = dict[str, tuple[Lin, Lin]]  # the first and the last value of each loop variable


def _open(nodes: tuple[Node, ...], sizes: frozenset[str], around: _Ranges) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            loop = _widened(node, around)
            inner = {**around, loop.iv: (loop.lower[0], loop.upper[0] - 1)}
            out.append(replace(loop, body=_open(node.body, sizes, inner)))
        elif isinstance(node, Guard):
            conds = tuple(c for c in node.conds if c.form.names() <= sizes)
            body = _open(node.body, sizes, around)
            out += [replace(node, conds=conds, body=body)] if conds else body
        else:
            out.append(node)
    return tuple(out)


def _widened(loop: Loop, around: _Ranges) -> Loop:
    """A loop between bounds that hold in every iteration of those around it."""

    def freed(forms: tuple[Lin, ...], last: bool) -> tuple[Lin, ...]:
        plain = tuple(f for f in forms if not f.names() & around.keys())
        return plain or tuple(_extremal(f, around, last) for f in forms[:1])

    if loop.step != 1 or any(not isinstance(a, str) for f in (*loop.lower, *loop.upper) for a, _ in f.terms):
        return loop
    return replace(loop, lower=freed(loop.lower, False), upper=freed(loop.upper, True))


def _extremal(form: Lin, around: _Ranges, largest: bool) -> Lin:
    """The largest or smallest value of a form over loops."""
    total = Lin(form.const)
    for atom, c in form.terms:
        low, high = around.get(str(atom), (var(str(atom)), var(str(atom))))
        total = total + (high if (c > 0) == largest else low).scaled(c)
    return total


def unbounded(program: Program) -> Program:
    """The program without its loops' bounds: what its conditions alone would allow."""
    return replace(program, body=with_loops(program.body, lambda loop: (replace(loop, lower=(), upper=(), step=1),)))


def padded(term: Input, load: Access, free: Access, program: Program, values: Mapping[str, Lin]) -> Term | None:
    """The array among zeros, for a `load` that sums loop variables.

    `free` is the load without the program's conditions, `values` its sizes.
    None if the loops' variables stay inside of what is read anyway, or if there is no box for all open sizes.
    """
    loops = box_of(free.domain, program, (1,) * len(free.ivs)) if _sums(load) else None
    if loops is None:
        return None
    whole = spanned(free, {iv: (a, b) for iv, a, b in zip(free.ivs, loops.low, loops.high, strict=True)})
    read = whole and (
        box_of(load.relation.range(), program, (1,) * term.type.rank) or _allowed(load, whole, program, values)
    )
    if whole is None or read is None or (whole.low, whole.high) == (read.low, read.high):
        return None
    every, ones = tuple(range(term.type.rank)), (1,) * term.type.rank
    inside = Window(_type(term, read), term, read.low, every, ones)
    wide, offsets = _type(term, whole), tuple(a - b for a, b in zip(read.low, whole.low, strict=True))
    piece = term if read.covers(term.type.dims) else inside
    return Insert(wide, filled(wide, "0"), piece, offsets, every, ones)


def _sums(load: Access) -> bool:
    return any(len([n for n in f.names() if n in load.ivs]) > 1 for f in load.node.subscripts)


def _allowed(load: Access, whole: Box, program: Program, values: Mapping[str, Lin]) -> Box | None:
    """The box of elements that conditions alone allow, within that of the loops alone; None if it may leave that."""
    found = next(a for a in accesses(unbounded(program)) if a.name == load.name)
    context = telling_set(program)
    region = found.relation.range().intersect_params(context)
    low, high = list(whole.low), list(whole.high)
    for k in range(len(low)):
        low[k] = _extreme(region.dim_min, k, context) or low[k]
        high[k] = _extreme(region.dim_max, k, context) or high[k]
    gaps = [a - b for a, b in zip((*low, *whole.high), (*whole.low, *high), strict=True)]
    leaves = " or ".join(f"{gap.isl()} < 0" for gap in gaps)
    known = "".join(f" and {n} = {v.const}" for n, v in values.items() if n in program.sizes and v.is_const)
    outside = isl.Set(f"{params(program)}{{ : ({leaves}){known} }}").intersect(context)
    return Box(tuple(low), tuple(high), whole.strides) if outside.is_empty() else None


def _extreme(of: Callable[[int], isl.PwAff], k: int, context: isl.Set) -> Lin | None:
    """The least or greatest number of a dimension; None if there is none (at some sizes), or no one form of it."""
    try:
        return affine_form(of(k).gist(context))
    except isl.Error:  # it is not bounded, which no question to the set answers for all of its parts
        return None


def _type(term: Term, box: Box) -> TensorType:
    return TensorType(term.type.element, tuple(b - a + 1 for a, b in zip(box.low, box.high, strict=True)))
