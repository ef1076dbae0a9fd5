"""Time loops: sequential loops whose body is nests and nothing else, as one kernel over blocks of iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Term
from raising.native.loops.emit_loops import Writer, write_kernel
from raising.native.loops.fusion_plan import Loops, plan
from raising.native.loops.loop_tree import Node, nests_of
from raising.native.loops.vectorise import BlockWriter, RegisterBlocks, register_blocks
from raising.native.nest.dependence import Span
from raising.native.nest.kernel_call import Kernel
from raising.native.nest.nest import Access, Effects, Nest, Scalar
from raising.native.nest.read_nests import Item
from raising.native.nest.read_views import Reader
from raising.native.sequential.line_solvers import LineLoop
from raising.native.sequential.outer_vectorise import recurrence, write_recurrences
from raising.native.sequential.register_pipeline_emit import write_streams
from raising.native.sequential.register_pipeline_plan import RegisterPipeline, register_pipeline
from raising.native.sequential.time_skewing import TimeSkewing, skewed, write_skewed
from raising.support.mlir.walk import maker


def body_of(loop: Any, items: list[Item], reader: Reader) -> tuple[Node, ...] | None:
    """The loops in the body of a time loop; None if there is anything else, or values that only exist inside of it."""
    if loop.results or len(loop.regions[0].blocks[0].arguments) != 1:
        return None
    inlined = [replace(item, what=_with_loads(item.what, items, reader)) for item in items]
    steps = plan(inlined, strict=True, values=reader.values)
    nodes = tuple(step.node for step in steps if isinstance(step, Loops))
    time = reader.name(loop.regions[0].blocks[0].arguments[0])
    inside = all(
        _outside(loop, name, time, reader) for node in nodes for nest in nests_of(node) for name in _used(nest)
    )
    return nodes if inside and len(nodes) == len(steps) else None


def _used(nest: Nest) -> set[str]:
    arrays = {access.array.name for access in (*nest.reads, *nest.writes)}
    return {name.split(".")[0] for name in nest.symbols} | {name for name, _ in nest.captured} | arrays


def _outside(loop: Any, name: str, time: str, reader: Reader) -> bool:
    """Whether a value exists before the loop; the loop's own variable may be used, and its allocations may move."""
    owner = reader.values[name].owner
    if name == time:
        return True
    if isinstance(owner, ir.Block):
        return bool(owner != loop.regions[0].blocks[0])
    fixed = owner.operation.name == "memref.alloc" and not owner.operation.operands
    return fixed or bool(owner.operation.block != loop.regions[0].blocks[0])


def _with_loads(what: Nest | Effects, items: list[Item], reader: Reader) -> Nest | Effects:
    """A nest that reads for itself the scalars that the body loads from memory which nothing in it writes."""
    if not isinstance(what, Nest):
        return what
    written = [access.array for item in items if isinstance(item.what, Nest) for access in item.what.writes]
    for name, _ in what.captured:
        access = _loaded(reader.values[name], reader)
        if access is not None and not any(array.may_overlap(access.array) for array in written):
            what = _reading(what, name, access)
    return what


def _loaded(value: ir.Value, reader: Reader) -> Access | None:
    load = maker(value, "memref.load")
    if load is None:
        return None
    source, *indices = load.operands
    view = reader.view(source)
    return Access(view.array, view.subscripts(tuple(reader.index(index) for index in indices)))


def _reading(nest: Nest, name: str, access: Access) -> Nest:
    new = f"in{len(nest.reads)}"

    def renamed(scalar: Scalar) -> Scalar:
        return replace(scalar, args=tuple(new if arg == name else arg for arg in scalar.args))

    return replace(
        nest,
        reads=(*nest.reads, access),
        captured=tuple(pair for pair in nest.captured if pair[0] != name),
        body=tuple(renamed(scalar) for scalar in nest.body),
        yields=tuple(new if each == name else each for each in nest.yields),
    )


def line_loop(loop: Any, nodes: tuple[Node, ...], writer: Writer, reader: Reader) -> LineLoop | None:
    """A loop of nests as a recurrence on vectors across lines; None if it is none."""
    span, bounds = _span(loop, reader)
    plan_ = None if span is None else recurrence(nodes, span, writer.machine.vector_bits)
    return None if span is None or plan_ is None else LineLoop(loop, nodes, plan_, span, bounds, writer.temporary)


def _span(loop: Any, reader: Reader) -> tuple[Span | None, tuple[str, str, str]]:
    """The iterations of a loop, None if its step is not known; and the names of its bounds and its step."""
    time = reader.name(loop.regions[0].blocks[0].arguments[0])
    low, high, step = (reader.name(value) for value in list(loop.operands)[:3])
    ends = [reader.index(value) for value in list(loop.operands)[:3]]
    span = Span(time, ends[0], ends[1], ends[2].constant) if ends[2].is_constant else None
    return span, (low, high, step)


def lines_kernel(loops: Sequence[LineLoop], name: str, writer: Writer) -> Kernel:
    """A kernel in place of recurrences on the same lines, which each line goes through one after the other."""
    nodes = tuple(node for each in loops for node in each.nodes)
    own = frozenset(bound for each in loops for bound in each.bounds), frozenset(each.span.index for each in loops)
    return write_kernel(nodes, name, writer, own, partial(_emit_lines, loops))


def time_kernel(loop: Any, nodes: tuple[Node, ...], name: str, writer: Writer, reader: Reader) -> Kernel | None:
    """A kernel in place of the whole loop: elements or lines side by side, or iterations that the cache keeps."""
    span, (low, high, step) = _span(loop, reader)
    if span is None:
        return None
    time, own = span.index, (frozenset({low, high, step}), frozenset({span.index}))
    lines = line_loop(loop, nodes, writer, reader)
    if lines is not None:
        return lines_kernel([lines], name, writer)
    blocks = _blocks(nodes, time, writer)
    if blocks is not None:
        return write_kernel(nodes, name, writer, own, partial(_emit_blocks, blocks, (low, high, step)))
    sweeps = register_pipeline(nodes, time, writer.machine.vector_bits)
    if sweeps is not None:
        return write_kernel(nodes, name, writer, own, partial(_emit_sweeps, sweeps, nodes, (low, high, step)))
    machine = writer.machine  # rows that the second cache has no room for may stay in a part of the last one
    skew = skewed(nodes, span, machine.second_cache // 2) or skewed(nodes, span, machine.last_cache // 4)
    if skew is None:
        return None
    return write_kernel(nodes, name, writer, own, partial(_emit, skew, (low, high, step), time))


def _blocks(nodes: tuple[Node, ...], time: str, writer: Writer) -> RegisterBlocks | None:
    """Elements side by side, if each point of all nests has its own."""
    nests, machine = [nest for node in nodes for nest in nests_of(node)], writer.machine
    if not nests or not nests[0].extents or len({nest.extents for nest in nests}) != 1:
        return None
    last, every = len(nests[0].extents) - 1, set(range(len(nests[0].extents)))
    if not all(all(nest.parallel) and all(write.dims == every for write in nest.writes) for nest in nests):
        return None
    return register_blocks(nests, (last, time), (machine.vector_bits, machine.registers), writer.temporary)


def _emit_lines(loops: Sequence[LineLoop], writer: Writer, names: Mapping[Term, str]) -> None:
    found = [(each.plan, (names[each.bounds[0]], names[each.bounds[1]])) for each in loops]
    write_recurrences(writer, found, names, parallel=writer.machine.threads > 1)


def _emit_blocks(plan: RegisterBlocks, times: tuple[str, str, str], writer: Writer, names: Mapping[Term, str]) -> None:
    low, high, step = (names[each] for each in times)
    blocks = BlockWriter(writer.code, plan, (low, high, step), writer.machine.permutes)
    inner, threads = dict(names), writer.machine.threads > 1
    with ExitStack() as outer:
        for number, extent in enumerate(plan.nests[0].extents[:-1]):
            bounds = writer.code.index(0), writer.code.affine(extent, names), writer.code.index(1)
            loop = writer.code.loop(bounds, parallel=number == 0 and threads)
            inner[number] = outer.enter_context(loop).induction
        blocks.write(inner, threads and plan.dim == 0)


def _emit_sweeps(
    plan: RegisterPipeline,
    nodes: tuple[Node, ...],
    times: tuple[str, str, str],
    writer: Writer,
    names: Mapping[Term, str],
) -> None:
    low, high, step = (names[each] for each in times)
    write_streams(writer, plan, nodes, (low, high, step), names)


def _emit(skew: TimeSkewing, times: tuple[str, str, str], time: str, writer: Writer, names: Mapping[Term, str]) -> None:
    low, high, step = (names[each] for each in times)
    write_skewed(writer, skew, (low, high, step), names, time)
