"""Code for the plans of `raising.native.sequential.register_pipeline_plan`: the levels at each position of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from raising.affine.ir.affine_expr import Term
from raising.native.loops.body import Body, Point, load, store, zero
from raising.native.loops.emit_loops import Writer
from raising.native.loops.loop_tree import Node
from raising.native.loops.vector_ops import Lane, vector_type, widened
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest
from raising.native.sequential.register_pipeline_plan import RegisterPipeline, Vectors, Version, constant
from raising.support.record import dataclass


@dataclass
class _Sweep:
    """All levels at one position: vectors of the positions before, the nearest first, and of this one.

    `position` is a number at the ends, None where all vectors are within the extents.
    """

    code: Lines
    plan: RegisterPipeline
    names: Mapping[Term, str]
    position: int | None
    before: Sequence[Vectors]
    now: dict[Version, str] = field(default_factory=dict)
    level: int = 0

    def write(self) -> None:
        """Load the versions that come from memory, compute all levels, store what is left at the end."""
        for version, place in self.plan.places.items():
            if version[1] == 0:
                self.now[version] = self._initial(version, place)
        for level in range(len(self.plan.shifts)):
            self._compute(level)

    def read(self, access: Access, point: Point) -> Lane:
        """The value that a level reads: of a version, or of memory that no level writes."""
        if not self.plan.written(access.array):
            return load(self.code, point.element(access), point)
        version = self.plan.version(access.array, self.level)
        back = self.plan.places[version] + self.plan.shifts[self.level] - constant(access)
        return Lane(self._window(version, back), access.array.element, True)

    def _window(self, version: Version, back: int) -> str:
        """The vector that begins so many elements before the one of this position."""
        lanes, kind = self.plan.lanes, self._kind(version)
        positions, rest = divmod(back, lanes)
        later = self.before[positions - 1][version]
        if not rest:
            return later
        order = list(range(lanes - rest, 2 * lanes - rest))
        earlier = self.before[positions][version]
        return self.code.op(f"vector.shuffle {earlier}, {later} {order} : {kind}, {kind}", "w")

    def _kind(self, version: Version) -> str:
        return vector_type(version[0].element, self.plan.lanes)

    def _access(self, array: Array) -> Access:
        """The access that writes an array, at its first element."""
        (write,) = (nest.writes[0] for nest in self.plan.nests if nest.writes[0].array == array)
        *outer, last = write.map
        return Access(array, (*outer, replace(last, constant=0)))

    def _initial(self, version: Version, place: int) -> str:
        array = version[0]
        return self._there(self._access(array), place, self._inside(place, array.shape[-1] or 0))

    def _compute(self, level: int) -> None:
        self.level = level
        iteration, number = divmod(level, len(self.plan.nests))
        nest, shift = self.plan.nests[number], self.plan.shifts[level]
        write, inside = nest.writes[0], self._inside(-shift, self.plan.extents[number])
        made = self._vector(nest, shift, inside, iteration == self.plan.iterations - 1) if any(inside) else None
        if made is None or not all(inside):
            made = self._completed(made, write, shift, inside)
        self.now[write.array, iteration + 1] = made

    def _vector(self, nest: Nest, shift: int, inside: list[bool], last: bool) -> str:
        """The lanes within the extent; stored if it is the last time."""
        mask = None if all(inside) else self._mask(inside)
        point = Point(self.names, ((0, -shift),), 0, self.plan.lanes, mask)
        value = Body(self.code, nest, point, self).value(nest.yields[0])
        write = nest.writes[0]
        lane = Lane(widened(self.code, value, self.plan.lanes), write.array.element, True)
        if last:
            store(self.code, point.element(write), lane, point)
        return lane.name

    def _completed(self, made: str | None, write: Access, shift: int, inside: list[bool]) -> str:
        """A vector with the elements beyond the extent as they are in memory."""
        lanes, kind = self.plan.lanes, vector_type(write.array.element, self.plan.lanes)
        exists = self._inside(constant(write) - shift, write.array.shape[-1] or 0)
        beyond = [one and not other for one, other in zip(exists, inside, strict=True)]
        if made is not None and not any(beyond):
            return made
        there = self._there(write, -shift, beyond)
        if made is None:
            return there
        return self.code.op(f"arith.select {self._mask(inside)}, {made}, {there} : vector<{lanes}xi1>, {kind}", "v")

    def _there(self, access: Access, shift: int, lanes: list[bool]) -> str:
        """Elements in memory, of some lanes only."""
        if not any(lanes):
            return zero(self.code, access.array.element, self.plan.lanes)
        point = Point(self.names, ((0, shift),), 0, self.plan.lanes, None if all(lanes) else self._mask(lanes))
        return load(self.code, point.element(access), point).name

    def _inside(self, place: int, extent: int) -> list[bool]:
        """For each lane of a vector, relative to the position, whether it is within an extent."""
        lanes = range(self.plan.lanes)
        return [self.position is None or 0 <= self.position + place + lane < extent for lane in lanes]

    def _mask(self, lanes: list[bool]) -> str:
        flags = ", ".join(str(lane).lower() for lane in lanes)
        return self.code.op(f"arith.constant dense<[{flags}]> : vector<{len(lanes)}xi1>", "m")


def write_streams(
    writer: Writer,
    plan: RegisterPipeline,
    nodes: tuple[Node, ...],
    times: tuple[str, str, str],
    names: Mapping[Term, str],
) -> None:
    """Sweeps of as many iterations as the plan has, then what is left one by one; `times`: from, to, step."""
    code = writer.code
    low, high, step = times
    count = code.formula(f"ceildivsi({high} - {low}, {step})")
    zero, one, each = code.index(0), code.index(1), code.index(plan.iterations)
    whole = code.formula(f"{count} - remsi({count}, {each})")
    with code.loop((zero, whole, each)):
        _sweep(code, plan, names)
    with code.loop((whole, count, one)):
        for node in nodes:
            writer.node(node, 0, names)


def _sweep(code: Lines, plan: RegisterPipeline, names: Mapping[Term, str]) -> None:
    """One sweep over all positions: the ends one by one, what is between them as a loop."""
    first, start, end, last = plan.ends
    before: Sequence[Vectors] = [{v: zero(code, v[0].element, plan.lanes) for v in plan.places}] * plan.history
    for position in range(first, start, plan.lanes):
        before = _step(code, plan, names, position, before)
    kinds = [vector_type(version[0].element, plan.lanes) for version in plan.places] * plan.history
    carried = list(zip(_names(before), kinds, strict=True))
    with code.loop((code.index(start), code.index(end), code.index(plan.lanes)), carried) as state:
        inner = {**names, 0: state.induction}
        state.values[:] = _names(_step(code, plan, inner, None, _versions(plan, state.start)))
    before = _versions(plan, state.results)
    for position in range(end, last, plan.lanes):
        before = _step(code, plan, names, position, before)


def _names(vectors: Sequence[Vectors]) -> list[str]:
    return [name for each in vectors for name in each.values()]


def _versions(plan: RegisterPipeline, names: Sequence[str]) -> list[Vectors]:
    """The inverse of `_names`."""
    count = len(plan.places)
    return [dict(zip(plan.places, names[k : k + count], strict=True)) for k in range(0, len(names), count)]


def _step(
    code: Lines, plan: RegisterPipeline, names: Mapping[Term, str], position: int | None, before: Sequence[Vectors]
) -> list[Vectors]:
    """All levels at one position; the vectors of all versions that later ones need, the nearest first."""
    inner = names if position is None else {**names, 0: code.index(position)}
    sweep = _Sweep(code, plan, inner, position, before)
    sweep.write()
    return [{version: sweep.now[version] for version in plan.places}, *before[:-1]]
