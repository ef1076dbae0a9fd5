"""Reads what a trace says: a structured computation, or a way of moving elements.

What is recognised is measured on element numbers; nothing depends on how the
lowered function was written.
"""

from __future__ import annotations

import numpy as np

from raising.grammar.measure.bodies import POSITION, BodyBuilder, access, is_neutral, projection_of, source_of
from raising.grammar.measure.elements import Ids, Leaf, Value, leaves
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.recognise_movement import assembled, tiled, window
from raising.grammar.measure.tracer import Trace
from raising.grammar.measure.workbench import NotStructured
from raising.grammar.terms.structured_op import Body, Instr, Meaning, combiner


def read(trace: Trace) -> Reading:
    """The reading of a trace; `NotStructured` says why there is none."""
    value = trace.result
    if value.node is None:
        raise NotStructured("the result is undefined")
    if isinstance(value.node, Leaf) and not value.reduced:
        return _movement(trace, value.node)
    return _computation(trace)


def _computation(trace: Trace) -> Reading:
    thin, units = squeezed(trace)
    value = thin.result
    builder = BodyBuilder(thin)
    assert value.node is not None
    body = builder.body(builder.visit(value.node))
    inputs = sorted(builder.inputs)
    if len({argument for argument, _ in inputs}) != len(inputs):
        raise NotStructured("an operand is accessed in two ways")
    out = tuple(range(len(value.shape)))
    meaning = Meaning((*(m for _, m in inputs), out), body)
    used = {d for m in meaning.maps for d in m}
    if used != set(range(len(value.shape) + len(value.reduced))):
        raise NotStructured("an iteration dimension appears in no indexing map")
    arguments = tuple(argument for argument, _ in inputs)
    start = _start(thin, body)
    if body.reads_output != bool(value.reduced):
        raise NotStructured("reduces without accumulating")
    if body.arity == 1:
        return _positions(meaning)
    return Reading(meaning.canonical(), arguments, start, units=_chosen(units, arguments))


def squeezed(trace: Trace) -> tuple[Trace, tuple[tuple[int, ...], ...]]:
    """The trace without dimensions of extent one, and which those are: per argument, and of the result."""
    value = trace.result
    if 1 in value.reduced:
        raise NotStructured("reduces a dimension of extent one")
    units = tuple(tuple(d for d, n in enumerate(s) if n == 1) for s in (*trace.shapes, value.shape))
    if not any(units):
        return trace, units
    thin = tuple(n for n in value.shape if n != 1)
    rank = len(value.shape)

    def drop(ids: Ids) -> Ids:
        return ids.reshape(thin + ids.shape[rank:])

    result = Value(thin, leaves(value.node, drop), value.reduced, leaves(value.start, drop))
    shapes = tuple(tuple(n for n in s if n != 1) for s in trace.shapes)
    return Trace(result, shapes, trace.constants), units


def _chosen(units: tuple[tuple[int, ...], ...], arguments: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return (*(units[k] for k in arguments), units[-1])


def _start(trace: Trace, body: Body) -> int:
    """The argument of rank zero that a reduction starts from; -1 for the neutral element."""
    node = trace.result.start
    if not trace.result.reduced:
        return -1
    try:
        op = combiner(body)
    except ValueError as error:
        raise NotStructured(str(error)) from None
    if not isinstance(node, Leaf) or op is None:
        raise NotStructured("a reduction starts from something computed")
    first = int(node.ids.flat[0])
    if not np.all(node.ids == first):
        raise NotStructured("a reduction starts from a tensor")
    if first >= 0:
        return source_of(trace, node.ids)
    if not is_neutral(op, trace.constants[-1 - first][0]):
        raise NotStructured(f"a reduction by {op} starts from {trace.constants[-1 - first][0]}")
    return -1


# ---- movements -----------------------------------------------------------------------------------


def _positions(meaning: Meaning) -> Reading:
    axes = [int(dict(i.attrs)["dim"]) for i in meaning.body.instrs if i.op == POSITION]
    if len(axes) != 1:
        raise NotStructured("a constant is computed")
    instrs = tuple(Instr(i.op, i.args, (("dim", "0"),)) if i.op == POSITION else i for i in meaning.body.instrs)
    body = Body(1, instrs, meaning.body.result)
    return Reading(Meaning(((0,),), body), (), -1, "index", (("axis", (axes[0],)),))


def _movement(trace: Trace, leaf: Leaf) -> Reading:
    ids, rank = leaf.ids, leaf.ids.ndim
    if leaf.position:
        raise NotStructured("the result are bare positions")
    if ids.max() < 0:
        return _constant(trace, ids)
    if ids.min() < 0 or _parts(trace, ids) > 1:
        return assembled(trace, ids)
    argument = source_of(trace, ids)
    shape = trace.shapes[argument]
    if shape != ids.shape and np.array_equal(ids.ravel(), np.arange(trace.bases[argument], trace.bases[argument + 1])):
        return Reading(_identity(rank), (argument,), -1, "reshape", (("extent", ids.shape),))
    thin, units = squeezed(trace)
    assert isinstance(thin.result.node, Leaf)
    projection = _copied(thin, thin.result.node.ids, argument)
    if projection is not None:
        meaning = Meaning((projection, tuple(range(len(thin.result.shape)))), Body(2, (), 0))
        return Reading(meaning.canonical(), (argument,), units=_chosen(units, (argument,)))
    return tiled(trace, ids, argument) or window(access(trace, ids), shape, ids.shape)


def _copied(trace: Trace, ids: Ids, argument: int) -> tuple[int, ...] | None:
    """The map by which all elements of an argument are copied; None if they are not."""
    try:
        found = projection_of(access(trace, ids).forms)
    except NotStructured:
        return None
    shape = trace.shapes[argument]
    return found if found is not None and all(ids.shape[d] == shape[k] for k, d in enumerate(found)) else None


def _parts(trace: Trace, ids: Ids) -> int:
    bases = np.asarray(trace.bases)
    return len(set(np.searchsorted(bases, ids.ravel(), side="right").tolist()))  # np.unique imports numpy.ma


def _identity(rank: int) -> Meaning:
    return Meaning((tuple(range(rank)),) * 2, Body(2, (), 0))


def _constant(trace: Trace, ids: Ids) -> Reading:
    if not np.all(ids == ids.flat[0]):
        raise NotStructured("a constant with several values")
    text = trace.constants[-1 - int(ids.flat[0])][0]
    body = Body(1, (Instr("arith.constant", (), (("value", text),)),), 1)
    return Reading(Meaning((tuple(range(ids.ndim)),), body), (), -1, "fill")
