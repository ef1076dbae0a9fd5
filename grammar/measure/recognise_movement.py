"""Measures how elements are moved: windows, reversals, insertions, concatenations.

A fact is a list of integers, one per dimension; None where the instance at
hand does not show it.
"""

from __future__ import annotations

import numpy as np

from raising.grammar.measure.bodies import Access
from raising.grammar.measure.elements import Ids
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.workbench import NotStructured
from raising.grammar.terms.structured_op import Body, Instr, Meaning

_LINE = Meaning(((0,), (0,)), Body(2, (), 0))
_PLACED = Meaning(((0,), (), (0,)), Body(3, (), 0))


def window(found: Access, shape: tuple[int, ...], result: tuple[int, ...]) -> Reading:
    """A box of one operand, dimension by dimension, forwards or backwards."""
    starts: list[int] = []
    strides: list[int | None] = []
    for d, (first, *factors) in enumerate(found.forms):
        if len(found.forms) != len(result) or any(f for k, f in enumerate(factors) if k != d):
            raise NotStructured("elements are not taken dimension by dimension")
        starts.append(first)
        strides.append(factors[d] if result[d] > 1 else None)
    backwards = tuple(d for d, s in enumerate(strides) if s is not None and s < 0)
    if backwards:
        if result != shape or any(starts[d] != shape[d] - 1 or strides[d] != -1 for d in backwards):
            raise NotStructured("takes a box backwards")
        return Reading(_LINE, (found.argument,), -1, "reverse", (("axes", backwards),))
    facts = (("start", tuple(starts)), ("stride", tuple(strides)), ("extent", result), ("source", shape))
    return Reading(_LINE, (found.argument,), -1, "window", facts)


def tiled(trace: Trace, ids: Ids, argument: int) -> Reading | None:
    """One operand repeated along its dimensions; None if it is not."""
    shape, base = trace.shapes[argument], trace.bases[argument]
    if len(shape) != ids.ndim or any(n % s for n, s in zip(ids.shape, shape, strict=True)):
        return None
    times = tuple(n // s for n, s in zip(ids.shape, shape, strict=True))
    whole = np.arange(base, base + int(np.prod(shape, dtype=int))).reshape(shape)
    if not np.array_equal(np.tile(whole, times), ids):
        return None
    return Reading(_LINE, (argument,), -1, "tile", (("times", times),))


def assembled(trace: Trace, ids: Ids) -> Reading:
    """A tensor put together from operands: one over a background, or several in a row."""
    background = [k for k, s in enumerate(trace.shapes) if all(n == 1 for n in s)]
    if background and ids.min() >= 0:
        return _inserted(trace, ids, trace.bases[background[-1]], (1 - background[-1], background[-1]), _PLACED)
    if ids.min() < 0 and len(trace.shapes) == 1:
        border = Instr("arith.constant", (), (("value", trace.constants[-1 - int(ids.min())][0]),))
        return _inserted(trace, ids, int(ids.min()), (0,), Meaning(((0,), (0,)), Body(2, (border,), 0)))
    return _row(trace, ids)


def _inserted(trace: Trace, ids: Ids, border: int, arguments: tuple[int, ...], meaning: Meaning) -> Reading:
    """One operand placed with steps into a tensor filled with one element."""
    piece = arguments[0]
    if len(trace.shapes) != len(arguments):
        raise NotStructured("a border is not one operand")
    where = np.argwhere(ids != border)
    shape = trace.shapes[piece]
    if len(where) != int(np.prod(shape, dtype=int)):
        raise NotStructured("an operand is placed only in part")
    first, last = where.min(axis=0), where.max(axis=0)
    steps = [(b - a) // (n - 1) if n > 1 else None for a, b, n in zip(first, last, shape, strict=True)]
    box = tuple(slice(a, b + 1, s or 1) for a, b, s in zip(first, last, steps, strict=True))
    base = trace.bases[piece]
    if not np.array_equal(ids[box], np.arange(base, base + len(where)).reshape(shape)):
        raise NotStructured("an operand is not placed in steps")
    facts = (
        ("start", tuple(int(a) for a in first)),
        ("gap", tuple(None if s is None else int(s) - 1 for s in steps)),
        ("rest", tuple(int(n - 1 - b) for b, n in zip(last, ids.shape, strict=True))),
        ("edges", tuple(int(n) for a, b, m in zip(first, last, ids.shape, strict=True) for n in (a, m - 1 - b))),
    )
    return Reading(meaning, arguments, -1, "insert", facts)


def _row(trace: Trace, ids: Ids) -> Reading:
    """All operands in a row along one axis."""
    shapes = trace.shapes
    for axis in range(ids.ndim):
        ends = np.cumsum([s[axis] for s in shapes]) if all(len(s) == ids.ndim for s in shapes) else [0]
        if ends[-1] != ids.shape[axis] or any(s[:axis] != ids.shape[:axis] for s in shapes):
            continue
        pieces = np.split(ids, ends[:-1], axis=axis)
        if all(_whole(trace, k, piece) for k, piece in enumerate(pieces)):
            return Reading(_LINE, tuple(range(len(shapes))), -1, "concat", (("axis", (axis,)),))
    raise NotStructured("elements of several operands are mixed")


def _whole(trace: Trace, operand: int, ids: Ids) -> bool:
    base = trace.bases[operand]
    return ids.shape == trace.shapes[operand] and np.array_equal(ids.ravel(), np.arange(base, base + ids.size))
