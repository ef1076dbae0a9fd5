"""Time skewing: several iterations of a time loop in one sweep, each some rows behind the one before it.

The rows in between stay in the cache, so memory is read once for a block of iterations and not once for each. A nest
runs its rows in their order; row i of nest k in iteration t of a block comes in step i + t * period + delay[k]. That is
allowed where no row needs, or overwrites, the result of a later step: the distances of all dependences are known
numbers.

Blocks run on different threads, and each waits for steps of the block before it. Blocks are begun in their order
(`raising.native.threads.outline.IN_ORDER`), so the one that is waited for is done or under way. Each thread has a
number in a cache line of its own that only grows: block * steps + steps done. With as many lines as threads, the number
in the line of a block belongs to that block or, once it is done, to a later one.

    before  for t: for i: b[i] = f(a[i - 1 .. i + 1]); for i: a[i] = g(b[i - 1 .. i + 1])
    after   for blocks of t: for steps s: for t in the block: row s - t * period of b, row s - t * period - delay of a
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.emit_loops import Writer
from raising.native.loops.loop_plan import accesses_of, rows_of_neighbours
from raising.native.loops.loop_tree import Loop, Node, nests_of
from raising.native.loops.vector_ops import element_bits
from raising.native.nest.dependence import Span, distances, over_time
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access
from raising.native.threads.outline import IN_ORDER
from raising.native.threads.runtime import TELL, WAIT
from raising.support.record import dataclass

_LINE = 8
"""Numbers in a cache line."""


@dataclass(frozen=True)
class Turns:
    """The shared counters of blocks of so many steps: the name of the memory and its type."""

    code: Lines
    threads: int
    steps: int
    memory: str
    kind: str

    def wait(self, block: str, step: str) -> None:
        """Go on when the block before this one, if there is one, has done a step, or all of its steps."""
        done = self.code.formula(f"min({step} + 1, {self.steps})")
        before = self.code.formula(f"{block} - 1")
        with self.code.when(f"{before} >= 0"):
            self._call(WAIT, before, done)

    def tell(self, block: str, step: str) -> None:
        """A block has done a step."""
        self._call(TELL, block, self.code.formula(f"{step} + 1"))

    def _call(self, function: str, block: str, done: str) -> None:
        code = self.code
        place = code.formula(f"remui({block}, {self.threads}) * {_LINE}")
        number = code.formula(f"{block} * {self.steps} + {done}")
        code.line(f"func.call @{function}({self.memory}, {place}, {number}) : ({self.kind}, index, index) -> ()")


def wavefront_flags(code: Lines, threads: int, steps: int) -> Turns:
    """Memory in which no block has done anything."""
    kind = f"memref<{threads * _LINE}xi64>"
    memory = code.op(f"memref.alloc() {{alignment = 64 : i64}} : {kind}")
    nothing = code.op("arith.constant 0 : i64")
    for thread in range(threads):
        code.line(f"memref.store {nothing}, {memory}[{code.index(thread * _LINE)}] : {kind}")
    for function in (WAIT, TELL):
        code.declared.append(f"func.func private @{function}({kind}, index, index)")
    return Turns(code, threads, steps, memory, kind)


MOST = 64
"""Iterations of a block, at most."""


@dataclass(frozen=True)
class TimeSkewing:
    """Loops over rows in the order of the time loop's body, their delays, the period, iterations of a block.

    A step does `rows` rows of each loop; delays and the period are in steps.
    """

    loops: tuple[Loop, ...]
    delays: tuple[int, ...]
    period: int
    block: int
    rows: int

    @property
    def steps(self) -> int:
        """How many steps a block takes."""
        rows = max(loop.extent.constant for loop in self.loops)
        return -(-rows // self.rows) + (self.block - 1) * self.period + max(self.delays)


def skewed(nodes: tuple[Node, ...], span: Span, cache: int) -> TimeSkewing | None:
    """The plan for a time loop with these loops in its body, for a cache of so many bytes; None if there is none."""
    loops = [_by_rows(node) for node in nodes]
    found = tuple(loop for loop in loops if loop is not None)
    if len(found) < len(nodes) or not found or not all(loop.extent.is_constant for loop in found):
        return None
    rows = max(rows_of_neighbours(loop, 0) for loop in found)
    delays = _delays(found, span, rows)
    period = _period(found, delays, span, rows) if delays else None
    if delays is None or period is None:
        return None
    held = cache // max(1, _row_bytes(found) * rows) - max(delays) - 2
    block = min(MOST, held // max(1, period))
    return TimeSkewing(found, delays, period, block, rows) if block > 1 else None


def _by_rows(node: Node) -> Loop | None:
    """The node as a loop over the first subscript of all that it writes; a single row is a loop of one iteration."""
    nests = list(nests_of(node))
    if not isinstance(node, Loop) or any(len(write.map) < 2 for nest in nests for write in nest.writes):
        return None
    firsts = [write.map[0] for nest in nests for write in nest.writes]
    if all(first.dims == {0} for first in firsts) and all(nest.parallel[0] for nest in nests):
        return node
    indexed = any(scalar.name == "linalg.index" for nest in nests for scalar in nest.body)
    if indexed or not all(first.is_constant for first in firsts):
        return None
    return Loop(Affine(1), (_one_row(node),))


def _one_row(node: Node) -> Node:
    """A node within one row, inside of a loop that runs once: the row is where its variable is 0."""
    if isinstance(node, Loop):
        return Loop(node.extent, tuple(_one_row(child) for child in node.body))
    values: dict[Term, Affine] = {number: dim(number + 1) for number in range(len(node.extents))}

    def moved(access: Access) -> Access:
        indices = access.moved(values).map
        return Access(access.array, (indices[0] + dim(0), *indices[1:]) if len(indices) > 1 else indices)

    return replace(
        node,
        extents=(Affine(1), *node.extents),
        parallel=(True, *node.parallel),
        reads=tuple(moved(access) for access in node.reads),
        writes=tuple(moved(access) for access in node.writes),
    )


def _least(first: Loop, second: Loop, span: Span, rows: int) -> int | None:
    """The least distance in steps of so many rows from an access of the first to one of the second; None if unknown."""
    pairs = ((over_time(one, span), over_time(two, span)) for one in first.nests() for two in second.nests())
    found = [step for one, two in pairs for (step,) in distances(one, two, 1)]
    if any(step is None for step in found):
        return None
    return min((step // rows for step in found if step is not None), default=_FAR)


_FAR = 1 << 30


def _delays(loops: tuple[Loop, ...], span: Span, rows: int) -> tuple[int, ...] | None:
    """The delay of each loop behind the first one within an iteration, in steps."""
    delays: list[int] = []
    for second in loops:
        delay = 0
        for first, earlier in zip(loops, delays, strict=False):
            least = _least(first, second, span, rows)
            if least is None:
                return None
            delay = max(delay, earlier - least)
        delays.append(delay)
    return tuple(delays)


def _period(loops: tuple[Loop, ...], delays: tuple[int, ...], span: Span, rows: int) -> int | None:
    """The delay of an iteration behind the one before it, in steps."""
    period = 0
    for first, earlier in zip(loops, delays, strict=True):
        for second, later in zip(loops, delays, strict=True):
            least = _least(first, second, span, rows)
            if least is None:
                return None
            period = max(period, earlier - later - least)
    return period


def _row_bytes(loops: tuple[Loop, ...]) -> int:
    """The bytes of one row of all arrays together; sizes that are not known are large."""
    arrays = {access.array for access in accesses_of(loops) if len(access.array.shape) > 1}
    total = 0
    for array in arrays:
        elements = prod(extent if extent is not None else 1 << 20 for extent in array.shape[1:])
        total += elements * element_bits(array.element) // 8
    return total


def write_skewed(
    writer: Writer, skew: TimeSkewing, times: tuple[str, str, str], names: Mapping[Term, str], time: str
) -> None:
    """Loops over blocks of iterations, steps, the block's iterations and nests; `time` is the term for an iteration.

    Threads do a block each. A step of a block waits for the steps before it of the block before it: the iterations of
    all blocks come in the order that they have within one.
    """
    code, threads = writer.code, writer.machine.threads
    low, high, step = times
    count = code.formula(f"ceildivsi({high} - {low}, {step})")
    zero, one = code.index(0), code.index(1)
    block = _equal_blocks(code, count, skew.block, threads) if threads > 1 else code.index(skew.block)
    blocks = code.formula(f"ceildivsi({count}, {block})")
    order = wavefront_flags(code, threads, skew.steps) if threads > 1 else None
    with code.loop((zero, blocks, one), parallel=IN_ORDER if threads > 1 else False) as part:
        first = code.formula(f"{part.induction} * {block}")
        mine = code.formula(f"min({count} - {first}, {block})")
        with code.loop((zero, code.index(skew.steps), one)) as now:
            if order is not None:
                order.wait(part.induction, code.formula(f"{now.induction} + {block} * {skew.period}"))
            with code.loop((zero, mine, one)) as late:
                inner = {**names, time: code.formula(f"{low} + ({first} + {late.induction}) * {step}")}
                for loop, delay in zip(skew.loops, skew.delays, strict=True):
                    point: dict[Term, str] = {"now": now.induction, "late": late.induction}
                    place = dim("now") - dim("late") * skew.period - delay
                    _rows(writer, loop, skew.rows, code.affine(place * skew.rows, point), inner)
            if order is not None:
                order.tell(part.induction, now.induction)


def _equal_blocks(code: Lines, count: str, most: int, threads: int) -> str:
    """Iterations of a block, so that every thread has as many blocks as the others."""
    blocks = f"ceildivsi({count}, {most * threads}) * {threads}"
    return code.formula(f"max(ceildivsi({count}, max({blocks}, 1)), 1)")


def _rows(writer: Writer, loop: Loop, rows: int, row: str, names: Mapping[Term, str]) -> None:
    """A number of rows of a loop from a first one on, together if they share loads; clipped to the rows of the loop."""
    code, extent = writer.code, loop.extent.constant
    whole = extent // rows * rows if rows_of_neighbours(loop, 0) == rows else 0
    if whole:
        inside = code.op(f"arith.cmpi ult, {row}, {code.index(whole)} : index")
        with code.when(inside):
            for node in loop.body:
                writer.node(node, 1, {**names, 0: row}, rows)
    if whole < extent:
        from_ = code.formula(f"max({row}, {whole})")
        to = code.formula(f"min({row} + {rows}, {extent})")
        with code.loop((from_, to, code.index(1))) as state:
            for node in loop.body:
                writer.node(node, 1, {**names, 0: state.induction})
