"""Outer-loop vectorisation: a sequential loop around independent lines runs on vectors across the lines.

Where every line depends on itself only, lines may be the outer loop. A vector of them then goes through all iterations;
values that one iteration leaves to the next stay in registers, and arrays whose rows are the lines are loaded and
stored by rows and transposed in registers.

    before  for j: for i: x[i, j] += x[i, j - 1]
    after   for i by 8: for j: x[i .. i + 8, j] += x[i .. i + 8, j - 1], which stays in a register
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.body import Body, Memory, Point, load, store
from raising.native.loops.emit_loops import Writer
from raising.native.loops.loop_plan import TRAPS, bits_of
from raising.native.loops.loop_tree import Loop, Node, nests_of, unit_stride
from raising.native.loops.transpose_tiles import Limits, Tile, moves_last, only_if, transposed
from raising.native.loops.vector_ops import Lane, vector_type, widened
from raising.native.nest.dependence import Span, distances, over_time
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Nest
from raising.native.sequential.row_terms import ALONG, ROW, RowTerm, row_terms
from raising.support.record import dataclass


@dataclass(frozen=True)
class Carried:
    """An element that an access writes, or reads first, and so many iterations later others read."""

    access: Access
    steps: tuple[int, ...]

    def needed(self, back: int) -> int:
        """The first iteration that reads what the access touched `back` iterations before the loop."""
        return min(step for step in self.steps if step >= back) - back


@dataclass(frozen=True)
class Recurrence:
    """Nests over one dimension, the lines; `time` is the index of the iterations, `lanes` the lines of a vector.

    The accesses of `terms` are no memory: their values are computed along rows.
    """

    nests: tuple[Nest, ...]
    time: str
    lanes: int
    carried: tuple[Carried, ...]
    terms: tuple[RowTerm, ...] = ()

    @property
    def extent(self) -> Affine:
        """How many lines there are."""
        return self.nests[0].extents[0]


def recurrence(nodes: tuple[Node, ...], span: Span, vector_bits: int) -> Recurrence | None:
    """The body of a loop as recurrences side by side, if that is allowed and some array has lines as its rows."""
    time = span.index
    nests = tuple(nest for node in nodes for nest in nests_of(node))
    alone = all(isinstance(node, Loop) and len(nest.extents) == 1 for node in nodes for nest in nests_of(node))
    if span.step != 1 or not nests or not alone:
        return None
    if len({nest.extents for nest in nests}) != 1 or not all(_on_vectors(nest, time) for nest in nests):
        return None
    lanes = vector_bits // max(bits_of(nest) for nest in nests)
    carried = _carried(nests, time) if lanes > 1 and _independent(nests, span) else None
    accesses = [access for nest in nests for access in (*nest.reads, *nest.writes)]
    if carried is None or any(max(each.steps) > lanes for each in carried):
        return None
    if not any(moves_last(access, time) for access in accesses):
        return None
    return _with_terms(Recurrence(nests, time, lanes, carried))


def _with_terms(plan: Recurrence) -> Recurrence:
    """The recurrence with what can be computed along rows as terms of their own."""
    written = [write.array for nest in plan.nests for write in nest.writes]

    def whole(read: Access) -> bool:
        kept = any(later(each.access, read, plan.time) is not None for each in plan.carried)
        return bool(moves_last(read, plan.time)) and not kept and not any(read.array.may_overlap(a) for a in written)

    found = [row_terms(nest, number, plan.time, whole) for number, nest in enumerate(plan.nests)]
    terms = tuple(term for _, terms in found for term in terms)
    return replace(plan, nests=tuple(nest for nest, _ in found), terms=terms)


def _on_vectors(nest: Nest, time: str) -> bool:
    """Whether a vector of lines can be computed on, loaded somehow, and stored as one vector or in tiles."""
    stores = all(unit_stride(write, 0) or moves_last(write, time) for write in nest.writes)
    loads = all(_loadable(read, time) for read in nest.reads)
    plain = all(access.array.element != "i1" for access in (*nest.reads, *nest.writes))
    known = time not in dict(nest.captured) and not any(TRAPS.match(scalar.name) for scalar in nest.body)
    return nest.parallel[0] and stores and loads and plain and known


def _loadable(read: Access, time: str) -> bool:
    if 0 in read.dims:
        return read.stride(0) is not None
    return not any(index.coefficient(time) for index in read.map)


def _independent(nests: tuple[Nest, ...], span: Span) -> bool:
    """Whether no line touches what another one writes, in any iteration."""
    moving = [over_time(nest, span) for nest in nests]
    return all(found == (0,) for one in moving for two in moving for found in distances(one, two, 1))


def _carried(nests: tuple[Nest, ...], time: str) -> tuple[Carried, ...] | None:
    """The accesses carried from one iteration to later ones; None unless subscripts tell which elements are equal.

    That is so if all accesses to a written array differ by constants, and those that write are one or far apart.
    """
    writes = [access for nest in nests for access in nest.writes]
    reads = [access for nest in nests for access in nest.needed]
    for write in writes:
        related = [access for access in (*writes, *reads) if access.array.may_overlap(write.array)]
        if any(access.array != write.array or linear(access) != linear(write) for access in related):
            return None
        if any(later(write, other, time) is not None for other in writes if other != write):
            return None
    found = []
    for first in _first((*writes, *reads), time):
        steps = [step for read in reads if (step := later(first, read, time)) is not None and step > 0]
        written = any(write.array == first.array and linear(write) == linear(first) for write in writes)
        found += [Carried(first, tuple(steps))] if steps and (written or moves_last(first, time)) else []
    return tuple(found)


def _first(accesses: Sequence[Access], time: str) -> list[Access]:
    """Of accesses that touch the same elements in different iterations, the one that does so before the others.

    What it loads as a tile is known to the others: of a tile that is not whole, no other one may use more of it.
    """
    found: list[Access] = []
    for access in dict.fromkeys(accesses):
        group = [other for other in accesses if linear(other) == linear(access)]
        if not any((later(other, access, time) or 0) > 0 for other in group):
            found.append(access)
    return found


def linear(access: Access) -> tuple[Affine, ...]:
    """The subscripts without their constants."""
    return tuple(replace(index, constant=0) for index in access.map)


def later(write: Access, read: Access, time: Term) -> int | None:
    """The number of iterations from the write of an element to a read of it; None if the two never meet."""
    if read.array != write.array:
        return None
    found = set[int]()
    for one, two in zip(write.map, read.map, strict=True):
        factor, apart = one.coefficient(time), one.constant - two.constant
        if apart % factor if factor else apart:
            return None
        found |= {apart // factor} if factor else set()
    return None if len(found) > 1 else found.pop() if found else 0


@dataclass
class _Chunk:
    """As many consecutive iterations as a vector has lanes, done on one vector of lines."""

    code: Lines
    plan: Recurrence
    names: Mapping[Term, str]
    temporary: frozenset[str]
    limits: Limits | None
    known: dict[Access, Lane] = field(default_factory=dict)
    pending: dict[Access, Lane] = field(default_factory=dict)

    def write(self) -> None:
        """All iterations, then what is stored at their end."""
        for step in range(self.plan.lanes):
            point = self._point(step)
            for nest in self.plan.nests:
                body = Body(self.code, nest, point, self)
                results = [body.value(name) for name in nest.yields]
                for write, value in zip(nest.writes, results, strict=True):
                    self._write(write, value, point)
        for write in dict.fromkeys(write for nest in self.plan.nests for write in nest.writes):
            if self.at(write, 0) in self.pending:
                self._finish(write)

    def read(self, access: Access, point: Point) -> Lane:
        """The value that the access reads at a point: computed before, or in memory since the chunk began."""
        element = point.element(access)
        if element not in self.known and (term := self._term(access)) is not None:
            for step, lane in enumerate(self._rows_of(term)):
                self.known[self.at(access, step)] = lane
        elif element not in self.known and moves_last(access, self.plan.time):
            for step, lane in enumerate(self._tile(access).load()):
                self.known.setdefault(self.at(access, step), lane)
        elif element not in self.known:
            self.known[element] = load(self.code, element, point)
        return self.known[element]

    def _term(self, access: Access) -> RowTerm | None:
        return next((term for term in self.plan.terms if term.access == access), None)

    def _rows_of(self, term: RowTerm) -> list[Lane]:
        """A term for all iterations of the chunk: computed row by row, and transposed."""
        lanes, memory, kind = self.plan.lanes, Memory(self.code), term.access.array.element
        names, rows = {**self.names, ALONG: self.names[self.plan.time]}, list[str]()
        for row in range(lanes):
            mask = None
            if self.limits is not None:
                mask = self.code.op(f"vector.create_mask {self.limits.columns} : vector<{lanes}xi1>", "m")
                mask = only_if(self.code, row, self.limits.rows, mask, lanes)
            body = Body(self.code, term.nest, Point(names, ((ROW, row),), ALONG, lanes, mask), memory)
            rows.append(widened(self.code, body.value(term.name), lanes))
        return [Lane(name, kind, True) for name in transposed(self.code, rows, vector_type(kind, lanes))]

    def at(self, access: Access, step: int) -> Access:
        """The element of an access in an iteration, counted from the chunk's first."""
        return Point(self.names, ((self.plan.time, step),), 0, self.plan.lanes).element(access)

    def _point(self, step: int) -> Point:
        """The lines in one of the iterations."""
        shift, lanes = ((self.plan.time, step),), self.plan.lanes
        if self.limits is None:
            return Point(self.names, shift, 0, lanes)
        mask = self.code.op(f"vector.create_mask {self.limits.rows} : vector<{lanes}xi1>", "m")
        here = only_if(self.code, step, self.limits.columns, mask, lanes)
        return Point(self.names, shift, 0, lanes, here, beyond=step > 0)

    def _tile(self, access: Access) -> Tile:
        point = Point(self.names, (), 0, self.plan.lanes)
        return Tile(self.code, access, moves_last(access, self.plan.time), point, self.limits)

    def _write(self, write: Access, value: Lane, point: Point) -> None:
        element, time = point.element(write), self.plan.time
        new = Lane(widened(self.code, value, self.plan.lanes), write.array.element, True)
        stays = not any(index.coefficient(time) for index in write.map)
        kept = write.array.root not in self.temporary
        if stays and kept and point.mask is not None:
            new = self._only_there(new, self.read(write, point), point.mask)
        self.known[element] = new
        if kept and (stays or moves_last(write, time)):
            self.pending[element] = new
        elif kept:
            store(self.code, element, new, point)

    def _only_there(self, new: Lane, old: Lane, mask: str) -> Lane:
        kind = vector_type(new.element, self.plan.lanes)
        choice = f"arith.select {mask}, {new.name}, {old.name} : vector<{self.plan.lanes}xi1>, {kind}"
        return replace(new, name=self.code.op(choice, "v"))

    def _finish(self, write: Access) -> None:
        """Store what the iterations left of an access."""
        if moves_last(write, self.plan.time):
            steps = range(self.plan.lanes)
            self._tile(write).store([self.pending[self.at(write, step)].name for step in steps])
        else:
            store(self.code, write, self.pending[write], self._point(0))


def apart(first: tuple[Recurrence, Span], second: tuple[Recurrence, Span]) -> bool:
    """Whether no line of one loop touches what another line of the other loop writes, or writes what it touches."""
    before, after = ([over_time(nest, span) for nest in plan.nests] for plan, span in (first, second))
    return all(found == (0,) for one in before for two in after for found in distances(one, two, 1))


def write_recurrences(
    writer: Writer,
    loops: Sequence[tuple[Recurrence, tuple[str, str]]],
    names: Mapping[Term, str],
    parallel: bool = False,
) -> None:
    """Loops over vectors of lines, in which all loops over iterations follow one another, in chunks.

    With each of them are its first iteration and its end. With `parallel`, threads may share the lines.
    """
    code, lanes = writer.code, loops[0][0].lanes
    zero, step = code.index(0), code.index(lanes)
    total = code.affine(loops[0][0].extent, names)
    with code.loop((zero, total, step), parallel=parallel) as lines:
        rows = code.formula(f"min({total} - {lines.induction}, {step})")
        for plan, times in loops:
            _lines(writer, plan, times, {**names, 0: lines.induction}, rows)


def _lines(writer: Writer, plan: Recurrence, times: tuple[str, str], names: Mapping[Term, str], rows: str) -> None:
    """All iterations of one vector of lines, of which so many rows exist."""
    code, (low, high), step = writer.code, times, writer.code.index(plan.lanes)
    count = code.formula(f"{high} - {low}")
    whole = code.formula(f"{high} - remsi({count}, {step})")
    middle = code.formula(f"{whole} if {rows} == {step} else {low}")
    left = _entry(code, plan, {**names, plan.time: low}, rows, count)
    for bounds, masked in (((low, middle, step), False), ((middle, high, step), True)):
        left = _chunks(writer, plan, (bounds, rows if masked else None), names, left)


def _elements(plan: Recurrence) -> list[tuple[Carried, int]]:
    """The carried elements: for each access those of the last iterations, counted back from a chunk."""
    return [(each, back) for each in plan.carried for back in range(1, max(each.steps) + 1)]


def _entry(code: Lines, plan: Recurrence, names: Mapping[Term, str], rows: str, count: str) -> list[tuple[str, str]]:
    """The values that the first iterations find in memory, as far as they exist; with types."""
    lanes, found = plan.lanes, []
    for each, back in _elements(plan):
        mask = code.op(f"vector.create_mask {rows} : vector<{lanes}xi1>", "m")
        there = only_if(code, each.needed(back), count, mask, lanes)
        point = Point(names, ((plan.time, -back),), 0, lanes, there, beyond=True)
        lane = load(code, point.element(each.access), point)
        found.append((lane.name, vector_type(lane.element, lanes)))
    return found


def _chunks(
    writer: Writer,
    plan: Recurrence,
    loop: tuple[tuple[str, str, str], str | None],
    names: Mapping[Term, str],
    carried: list[tuple[str, str]],
) -> list[tuple[str, str]]:
    """A loop of chunks with bounds, under masks if the number of lines is given; what it carries, with types."""
    code, (bounds, rows) = writer.code, loop
    elements = _elements(plan)
    with code.loop(bounds, carried) as state:
        limits = None
        if rows is not None:
            limits = Limits(rows, code.formula(f"min({bounds[1]} - {state.induction}, {bounds[2]})"))
        chunk = _Chunk(code, plan, {**names, plan.time: state.induction}, writer.temporary, limits)
        for (each, back), name in zip(elements, state.start, strict=True):
            chunk.known[chunk.at(each.access, -back)] = Lane(name, each.access.array.element, True)
        chunk.write()
        state.values[:] = [chunk.known[chunk.at(each.access, plan.lanes - back)].name for each, back in elements]
    return [(name, kind) for name, (_, kind) in zip(state.results, carried, strict=True)]
