"""An innermost loop on vectors: as many whole steps as fit, then what is left, then the sums.

What whole steps leave over is done one vector at a time, under a mask, by ever smaller vectors, or one by one.
"""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import Affine
from raising.native.loops.aligned_stores import FENCE, iterations_before, light, past_caches, streamed
from raising.native.loops.body import Point
from raising.native.loops.interleave import Shape, place_of
from raising.native.loops.private_rows import is_private
from raising.native.loops.vector_ops import WORDS, Partial, active_within, first_lanes
from raising.native.loops.vectorise.accumulators import Accumulators
from raising.native.loops.vectorise.vector_body import VectorBody
from raising.native.nest.active import Active
from raising.native.nest.loop_blocks import Blocks, done_in_blocks
from raising.native.nest.nest import Array, Nest
from raising.support.record import dataclass

_FEWEST = 16
"""Lanes, at least, of vectors of interleaved elements for loops that are shorter than the widest."""


@dataclass
class VectorLoop(VectorBody):
    """A loop around a body. `read` are the arrays that loops around read; whole steps are in `blocks`, if any.

    What is written goes past the caches from so many bytes on as `streams` says, if any. Iterations that are `apart`,
    in no order, are done at two places at once: memory has more to do at a time than it finds ahead of one.
    """

    read: frozenset[Array] = frozenset()
    blocks: Blocks | None = None
    streams: int = 0
    apart: bool = False
    _past: tuple[str, int] | None = None

    def write(self, extent: Affine) -> None:
        """The whole loop."""
        self.hoist()
        sums = self.accumulators()
        self.roll()
        code, shape = self.code, self.shape
        where = active_within(self.nests, self.dim, self.names, shape.strict)
        self.nests, within = self._rest_and_bulk(where)
        begin, sure, total = where.ends(code, code.affine(extent, self.names), self.names, shape.rows)
        constant = where.length(extent)
        low = begin or (None if constant is not None else self._aligned(total, sums))
        if low is not None and begin is None:
            self._before(sums, low)
        bulk, step = self._bulk(sure, constant, low)
        nests, self.nests = self.nests, within
        partial = self._bulk_of((low or code.index(0), bulk, step), sums, constant is None)
        self.nests = nests
        if step == 1 or (constant is not None and constant % step == 0):
            if sure != total:  # where some of the rows do something
                self._rest(sums, total, bulk, partial, masked=False)
            sums.finish(partial)
            return
        several = bool(sums.sums) and shape.lanes > 1 and shape.copies > 1
        whole = total
        if several or not shape.masked:  # whole vectors first
            whole = self._multiple(total, low, shape.lanes)
            if shape.copies > 1 or sure != total:
                self._rest(sums, whole, bulk, partial, masked=False)
        if shape.masked:
            self._left_over(sums, total, whole if several else bulk, partial, inside=where.high is not None)
        sums.finish(partial)
        if not shape.masked:
            self._last(sums, (begin or code.index(0), total), whole)

    def _bulk_of(self, bounds: tuple[str, str, int], sums: Accumulators, whole: bool) -> Partial:
        """The whole steps from, to, by: the accumulators after them. Those of blocks are joined, in their order."""
        if self.blocks is None:
            return self._steps(bounds, sums, whole, self.apart and not sums.sums)

        def steps(low: str, high: str) -> list[str]:
            alone = low == bounds[0]  # and short: one block is enough
            partial = self._steps((low, high, bounds[2]), sums, whole, self.apart and not alone)
            return [sums.joined(each, partial) for each in sums.sums]

        def join(one: list[str], two: list[str]) -> list[str]:
            return list(map(sums.add_block, sums.sums, one, two))

        kinds = sums.begin(copies=1)
        found = done_in_blocks(self.code, bounds, self.blocks, kinds, (steps, join))
        others = self.shape.copies - 1  # of which nothing is left
        names = zip(found, kinds, strict=True)
        return sums.table([name for total, (none, _) in names for name in (total, *[none] * others)])

    def _steps(self, bounds: tuple[str, str, int], sums: Accumulators, whole: bool, apart: bool) -> Partial:
        """Whole steps, with accumulators that begin empty; none where stores may go past the caches."""
        places = 2 if apart and self.shape.copies % 2 == 0 else 1
        if self._past is None:
            return self._each_step(bounds, sums, whole, places)
        condition, aligned = self._past
        self.code.line(f"scf.if {condition} {{")
        self._each_step(bounds, sums, whole, places, aligned)
        self.code.line(f"{FENCE}\n}} else {{")
        self._each_step(bounds, sums, whole, places)
        self.code.line("}")
        return {}

    def _each_step(
        self, bounds: tuple[str, str, int], sums: Accumulators, whole: bool, places: int, past: int = 0
    ) -> Partial:
        """Whole steps, the copies of the body shared out to so many places."""
        (low, high, step), code, whole = bounds, self.code, whole and self.shape.lanes > 1
        copies = self.shape.copies // places
        if places > 1:
            further = code.formula(f"divui({high} - {low}, {places})")
            high = code.formula(f"{low} + {further}")
        with code.loop((low, high, code.index(step // places)), sums.begin(), whole=whole) as state:
            partial, place = sums.table(state.start), state.induction
            for copy in range(self.shape.copies):
                if copy and copy % copies == 0:
                    place = code.formula(f"{place} + {further}")
                here = replace(self.point(place, copy % copies), past=past)
                self.vector(sums, here, partial, copy, asking=True)
            state.values[:] = [lane.name for lane in partial.values()]
        return sums.table(state.results)

    def _aligned(self, total: str, sums: Accumulators) -> str | None:
        """Iterations before stores are aligned; None if that does not matter, or would change how sums are grouped."""
        if sums.sums or self.shape.lanes == 1 or self.shape.rows > 1 or not light(self.nests, self.dim):
            return None
        if any(is_private(read.array) and self.dim in read.dims for nest in self.nests for read in nest.reads):
            return None  # a load across two stores that are not in the cache yet waits for both
        loop = self.names, total, self.shape.lanes
        before = iterations_before(self.code, (self.nests, self.temporary), self.dim, loop)
        found = streamed(self.nests, self.temporary, self.dim) if self.streams else None
        if before is None or found is None:
            return before
        condition, line, lead = past_caches(self.code, found, self.dim, loop, (before, self.streams))
        self._past = condition, line
        return lead

    def _rest_and_bulk(self, where: Active) -> tuple[tuple[Nest, ...], tuple[Nest, ...]]:
        """The nests where some of the rows do something, and where all do: without conditions that hold there.

        One row does something in all of its loop, but a vector that is stored whole goes on behind the end.
        """
        if self.shape.rows > 1:
            return self.nests, self.nests if where.low is not None else where.nests
        whole = any(is_private(write.array) for nest in self.nests for write in nest.writes)
        return self.nests if whole else where.nests, where.nests

    def _bulk(self, sure: str, constant: int | None, low: str | None) -> tuple[str, int]:
        """The end of the iterations that whole vector steps cover, and the step."""
        step = self.shape.lanes * self.shape.copies
        if constant is not None:
            return self.code.index(constant // step * step), step
        return (sure if step == 1 else self._multiple(sure, low, step)), step

    def _multiple(self, total: str, low: str | None, step: int) -> str:
        """Where the last whole step ends of those that begin at `low`, or at 0; there if it has none.

        A remainder with a sign would take five instructions one after the other, before each short row.
        """
        code, begin = self.code, low or self.code.index(0)
        length = code.formula(f"max({total}, 0)" if low is None else f"max({total} - {low}, 0)")
        return code.formula(f"{begin} + ({length} - remui({length}, {step}))")

    def _rest(self, sums: Accumulators, total: str, bulk: str, partial: Partial, masked: bool) -> None:
        """The iterations that whole steps leave over, one vector at a time."""
        lanes = self.shape.lanes
        first = [key for key in partial if key[1] == 0]
        carried = [(partial[key].name, sums.kind(key[0])) for key in first]
        with self.code.loop((bulk, total, self.code.index(lanes)), carried, whole=lanes > 1) as state:
            inner = {key: replace(partial[key], name=name) for key, name in zip(first, state.start, strict=True)}
            point = self.point(state.induction, 0)
            if lanes > 1 and masked:
                point = self._masked(point, self.code.formula(f"{total} - {state.induction}"))
            self.vector(sums, point, inner, 0)
            state.values[:] = [lane.name for lane in inner.values()]
        for key, name in zip(first, state.results, strict=True):
            partial[key] = replace(partial[key], name=name)

    def _left_over(self, sums: Accumulators, total: str, bulk: str, partial: Partial, inside: bool = False) -> None:
        """The remaining iterations: under a mask, or by ever smaller vectors if the next row is read right after.

        Not so `inside` of a row, whose rest lies between.

        A load waits for a store that it overlaps, also if that leaves out, under its mask, what is loaded.
        """
        if partial or inside or not self._ends_by_parts():
            self._rest(sums, total, bulk, partial, masked=True)
            return
        whole = self.code.formula(f"{bulk} + ({total} - {bulk} & {-self.shape.lanes})")
        self._rest(sums, whole, bulk, partial, masked=False)
        self._by_parts(whole, total)

    def _before(self, sums: Accumulators, low: str) -> None:
        """The first iterations, fewer than a vector has, of a loop that is longer than one."""
        first, masked = self.code.index(0), self.shape.masked
        if self._ends_by_parts() if masked else not self.repeatable():
            self._by_parts(first, low)
        else:
            self._rest(sums, low, first, {}, masked=masked)

    def _ends_by_parts(self) -> bool:
        """Whether what a loop leaves over is done by ever smaller vectors, where it could be done under a mask."""
        return self.flat is None and self._updates_rows()

    def _by_parts(self, begin: str, end: str) -> None:
        """Fewer iterations than a vector has: by vectors of half of its lanes and less, and then one by one.

        Those of interleaved elements are one by one, unless they lie side by side.
        """
        code, lanes = self.code, self.shape.lanes
        parts = (lanes // 2, lanes // 4, lanes // 8) if self.flat is not None or not self._strided() else ()
        left = code.formula(f"{end} - {begin}")
        with code.when(f"{left} > 0"):
            for part in (each for each in parts if each > 1):
                middle = code.formula(f"{begin} + ({left} & {part})")
                self._few(replace(self.shape, lanes=part, copies=1), begin, middle)
                begin = middle
            self._few(Shape(1, 1, self.shape.rows, ordered=True), begin, end)

    def _strided(self) -> bool:
        accesses = (access for nest in self.nests for access in (*nest.needed, *nest.writes))
        return any(place_of(access, self.dim) is not None for access in accesses)

    def _few(self, shape: Shape, begin: str, end: str) -> None:
        """A few iterations, on vectors of this shape."""
        loop = VectorLoop(self.code, self.nests, self.dim, self.names, shape, self.temporary)
        loop.roll()
        loop.span(begin, end)

    def _updates_rows(self) -> bool:
        """Whether a loop around this one goes on to read what lies behind the elements that are written here."""
        writes = [w for nest in self.nests for w in nest.writes if w.array.root not in self.temporary]
        return self.dim > 0 and any(w.array.may_overlap(array) for w in writes for array in self.read)

    def _masked(self, point: Point, left: str) -> Point:
        """A vector of which so many points exist."""
        lanes = self.shape.lanes
        if self.flat is not None:
            step = self.flat.step
            left, lanes = self.code.formula(f"{left} * {step}"), lanes * step
        elif lanes in WORDS:
            return replace(point, mask=first_lanes(self.code, left, lanes))
        return replace(point, mask=self.code.op(f"vector.create_mask {left} : vector<{lanes}xi1>", "m"))

    def _last(self, sums: Accumulators, bounds: tuple[str, str], whole: str) -> None:
        """The remaining iterations one by one, where masks cost more than they save.

        Where iterations may run twice, the last vector ends with the loop, if the loop is that long.
        """
        code, step, (first, total) = self.code, self.code.index(self.shape.lanes), bounds
        if not sums.sums and self.repeatable():
            last = code.formula(f"{total} - {step}")
            long = code.formula(f"{last} >= {first}")
            begin = code.formula(f"{last} if {long} and {whole} < {total} else {total}")
            with code.loop((begin, total, step)) as state:  # runs once or not at all
                self.vector(sums, self.point(state.induction, 0), {}, 0)
            whole = code.formula(f"{total} if {long} else {whole}")
        if not sums.sums:
            self._shorter(whole, bounds)
            return
        shared = self.shape.rows > 1 and any(self.dim - 1 not in each.access.dims for each in sums.sums)
        single = Shape(1, 1, self.shape.rows, ordered=not shared)  # rows add to a shared sum one after the other
        VectorLoop(code, self.nests, self.dim, self.names, single, self.temporary).span(whole, total)

    def _shorter(self, begin: str, bounds: tuple[str, str]) -> None:
        """A loop shorter than a vector, or what one leaves over that may not run twice.

        Vectors of interleaved elements are halved, and the last of them ends with the loop again.
        """
        half, code, end = self.shape.lanes // 2, self.code, bounds[1]
        if self.flat is not None or half < _FEWEST or not self._strided() or not self.repeatable():
            self._by_parts(begin, end)
            return
        with code.when(f"{begin} < {end}"):
            shape = replace(self.shape, lanes=half, copies=1)
            loop = VectorLoop(code, self.nests, self.dim, self.names, shape, self.temporary)
            middle = loop._multiple(end, begin, half)
            loop.span(begin, middle)
            loop._last(loop.accumulators(), bounds, middle)

    def span(self, low: str, high: str) -> None:
        """Some iterations, a vector after the other; sums begin with what they are by then."""
        self.hoist()
        sums = self.accumulators()
        step = self.code.index(self.shape.lanes)
        with self.code.loop((low, high, step), sums.begin(copies=1), whole=True) as state:
            partial = sums.table(state.start)
            self.vector(sums, self.point(state.induction, 0), partial, 0)
            state.values[:] = [lane.name for lane in partial.values()]
        sums.finish(sums.table(state.results))
