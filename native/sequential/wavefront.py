"""Wavefronts: sweeps over rows in place, repeated, run on vectors across the repetitions.

Where each element needs the one before it in its row and elements of the rows beside it, neither rows nor elements of a
row are independent. Repetitions are, some rows apart: row i of one, row i - delay of the next, and so on. A vector has
one lane for each of these rows and goes along all of them (`raising.native.sequential.outer_vectorise`), in the order
of operations that the loops have. `delay` rows are enough where all dependences are less than `delay` rows apart,
whatever their distance in repetitions. Source: Lamport, "The parallel execution of DO loops", CACM 17(2), 1974.

    before  for t: for i: for j: a[i, j] += a[i, j - 1] + a[i + 1, j]
    after   for t by 8: for s: for j: a[s - 2 lane, j] += a[s - 2 lane, j - 1] + a[s - 2 lane + 1, j] for 8 lanes
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.body import Memory, Point, run_at
from raising.native.loops.emit_loops import Writer
from raising.native.loops.loop_tree import Loop
from raising.native.nest.dependence import Span, distances
from raising.native.nest.nest import Access, Nest
from raising.native.nest.read_views import Reader
from raising.native.sequential.outer_vectorise import later, recurrence, write_recurrences
from raising.native.sequential.recurrence_emit import write_scan
from raising.native.sequential.recurrence_plan import Scan, loop_nest
from raising.support.mlir.walk import is_outside, maker
from raising.support.record import dataclass

Bounds = tuple[str, str]
"""The names of a loop's first value and its end."""
Row = Callable[[Writer, Mapping[Term, str]], None]
"""Writes one row, given names of the loops' values."""

_FEW = 4
"""With less than one in so many lanes, rows are done one by one."""
_SCANS = 4
"""Scans at once: as many as hide the time from one vector of a row to the next."""


@dataclass(frozen=True)
class Wavefront:
    """Repetitions of a sweep over rows, which may go on at once if their rows are `delay` apart.

    `row` is a row as a nest over its elements; `variables` are those of the three loops, and `bounds` theirs.
    """

    row: Nest
    delay: int
    variables: tuple[str, str, str]
    bounds: tuple[Bounds, Bounds, Bounds]

    @property
    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """What is used from around the loops, and what is made inside."""
        return frozenset(name for pair in self.bounds for name in pair), frozenset(self.variables)


@dataclass(frozen=True)
class Together:
    """How so many rows are written, given names: of the foremost row in place of the sweep's variable, and of their
    number in place of the repetitions'. Fewer repetitions than `least` are done one by one."""

    rows: int
    least: int
    write: Row


def wavefront(loop: Any, reader: Reader) -> Wavefront | None:
    """The plan for a loop around a sweep over rows; None if it is another loop, or dependences are not known."""
    loops = _nested(loop)
    if loops is None or any(reader.index(each.operands[2]) != Affine(1) for each in loops):
        return None
    row = _computed(loop_nest(loops[2], reader, ""))
    if row is None:
        return None
    bounds = [(reader.name(each.operands[0]), reader.name(each.operands[1])) for each in loops]
    names = [reader.name(each.regions[0].blocks[0].arguments[0]) for each in loops]
    used = {*_used(row) - {names[1]}, *(name for pair in bounds for name in pair)}
    if names[1] in dict(row.captured) or not all(_before(loop, reader.values[name]) for name in used):
        return None
    low, high = ([reader.index(each.operands[end]) for each in loops[1:]] for end in (0, 1))
    delay = _delay(row, names[1], low, high)
    if delay is None or not any((later(write, read, 0) or 0) > 0 for write in row.writes for read in row.needed):
        return None
    return Wavefront(row, delay, (names[0], names[1], names[2]), (bounds[0], bounds[1], bounds[2]))


def as_lines(plan: Wavefront, reader: Reader, vector_bits: int) -> Together | None:
    """The rows as lanes of a vector."""
    number, sweep, along = plan.variables
    moved: dict[Term, Affine] = {sweep: dim(sweep) - dim(0) * plan.delay, 0: dim(along)}
    across = _with(plan.row, moved, (dim(number),), (True,))
    low, high = (reader.index(reader.values[name]) for name in plan.bounds[2])
    lines = recurrence((Loop(dim(number), (across,)),), Span(along, low, high, 1), vector_bits)

    def write(writer: Writer, names: Mapping[Term, str]) -> None:
        assert lines is not None
        write_recurrences(writer, [(lines, (names[plan.bounds[2][0]], names[plan.bounds[2][1]]))], names)

    return None if lines is None else Together(lines.lanes, max(2, lines.lanes // _FEW), write)


def as_scans(plan: Wavefront, row: Scan) -> Together:
    """The rows as scans that do not wait for one another."""

    def write(writer: Writer, names: Mapping[Term, str]) -> None:
        code, (number, sweep, _) = writer.code, plan.variables

        def lag(rows: str) -> dict[Term, str]:
            return {**names, sweep: code.formula(f"{names[sweep]} - {rows} * {plan.delay}")}

        code.line(f"scf.if {code.formula(f'{names[number]} == {_SCANS}')} {{")
        write_scan(row, plan.bounds[2], writer, *(lag(code.index(number)) for number in range(_SCANS)))
        code.line("} else {")
        with code.loop((code.index(0), names[number], code.index(1))) as rows:
            write_scan(row, plan.bounds[2], writer, lag(rows.induction))
        code.line("}")

    return Together(_SCANS, _SCANS, write)


def _nested(loop: Any) -> list[Any] | None:
    """Three loops, each with the next one and arithmetic in it, that leave no values."""
    found = [loop]
    while len(found) < 3:
        *operations, _ = [view.operation for view in found[-1].regions[0].blocks[0].operations]
        inner = [each for each in operations if each.name == "scf.for"]
        others = [each for each in operations if each.name != "scf.for"]
        if len(inner) != 1 or not all(each.name.startswith("arith.") for each in others):
            return None
        found += inner
    return None if any(each.results for each in found) else found


def _computed(row: Nest | None) -> Nest | None:
    """The nest without captured values that only its subscripts need; None if it computes with its index."""
    live = frozenset[str]() if row is None else row.live
    if row is None or any(s.name == "linalg.index" for number, s in enumerate(row.body) if f"v{number}" in live):
        return None
    return replace(row, captured=tuple(pair for pair in row.captured if pair[0] in live))


def _used(row: Nest) -> set[str]:
    """The values around a row that it uses, without its own extent."""
    accesses = (*row.reads, *row.writes)
    symbols = {name for access in accesses for index in access.map for name in index.symbols}
    return {name.split(".")[0] for name in symbols} | {each.array.name for each in accesses} | set(dict(row.captured))


def _before(loop: Any, value: ir.Value) -> bool:
    """Whether a value exists before a loop, or is a constant that may move there."""
    return maker(value, "arith.constant") is not None or is_outside(value, loop)


def hoist_constants(loop: Any, names: tuple[str, ...], reader: Reader) -> None:
    """Move constants with these names from inside of the loop to before it."""
    for name in names:
        value = reader.values[name]
        constant = maker(value, "arith.constant")
        if constant is not None and not is_outside(value, loop):
            constant.move_before(loop)


def _with(row: Nest, values: Mapping[Term, Affine], extents: tuple[Affine, ...], parallel: tuple[bool, ...]) -> Nest:
    """The nest with other dimensions."""

    def moved(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(access.moved(values) for access in accesses)

    return replace(row, extents=extents, parallel=parallel, reads=moved(row.reads), writes=moved(row.writes))


def _delay(row: Nest, sweep: str, low: list[Affine], high: list[Affine]) -> int | None:
    """One more than the number of rows between any two that touch an element which one of them writes."""
    values: dict[Term, Affine] = {sweep: dim(0) + low[0], 0: dim(1) + low[1]}
    plane = _with(row, values, (high[0] - low[0], high[1] - low[1]), (False, False))
    steps = [step for (step,) in distances(plane, plane, 1)]
    return None if None in steps else 1 + max(abs(step) for step in steps if step is not None)


def write_wavefront(
    plan: Wavefront, together: Together, alone: Row | None, writer: Writer, names: Mapping[Term, str]
) -> None:
    """Loops over groups of repetitions and their steps; then the repetitions that are too few for a group.

    `alone` writes a row of these, by elements if there is none.
    """
    code = writer.code
    (low, high), (first, end), _ = [(names[one], names[two]) for one, two in plan.bounds]
    zero, one, step = code.index(0), code.index(1), code.index(together.rows)
    count = code.formula(f"{high} - {low}")
    left = code.formula(f"remsi({count}, {step})")
    rest = code.formula(f"{left} if {left} < {together.least} else 0")
    whole = code.formula(f"{count} - {rest}")
    with code.loop((zero, whole, step)) as group:
        _steps(writer, plan, together.write, code.formula(f"min({whole} - {group.induction}, {step})"), names)
    with code.loop((zero, rest, one)), code.loop((first, end, one)) as rows:
        (alone or partial(_elements, plan))(writer, {**names, plan.variables[1]: rows.induction})


def _steps(writer: Writer, plan: Wavefront, write: Row, count: str, names: Mapping[Term, str]) -> None:
    """All steps of so many repetitions: in each, those rows `delay` apart that are rows of the sweep."""
    code, (first, end) = writer.code, (names[name] for name in plan.bounds[1])
    zero, one, delay = code.index(0), code.index(1), code.index(plan.delay)
    rows, last = code.formula(f"{end} - {first}"), code.formula(f"{count} - {one}")
    with code.loop((zero, code.formula(f"{rows} + {last} * {delay}"), one)) as now:
        skipped = code.formula(f"max(ceildivsi({now.induction} - {rows} + {one}, {delay}), {zero})")
        number = code.formula(f"min(divsi({now.induction}, {delay}), {last}) - {skipped} + {one}")
        place = code.formula(f"{first} + ({now.induction} - {skipped} * {delay})")
        write(writer, {**names, plan.variables[0]: number, plan.variables[1]: place})


def _elements(plan: Wavefront, writer: Writer, names: Mapping[Term, str]) -> None:
    """A row, one element after the other."""
    code, (low, high) = writer.code, (names[name] for name in plan.bounds[2])
    with code.loop((low, high, code.index(1))) as state:
        memory = Memory(code)
        run_at(code, plan.row, Point({**names, 0: state.induction}, (), -1, 1), memory)
        memory.flush()
