"""Sequential loops: which loop of a recurrence has to stay, by its dependences.

A schedule gives each statement one of its loop variables as time. Time must not run backwards along a dependence, and
the statements that happen at one time must be free of cycles: then this one loop is enough, and the rest of each
statement is a nest of its own (Feautrier 1992, restricted to loop variables as time). Where there is no such schedule
the outermost loop stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.program import Compute, IndexValue, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.value_names import computed_from, computes_of
from raising.affine.polyhedral.expansion import is_private
from raising.affine.polyhedral.loop_reconstruction import rebuilt
from raising.affine.polyhedral.scop import Scop, Statement, build, dependences
from raising.affine.polyhedral.select_reductions import accumulating
from raising.support.errors import in_time
from raising.support.graphs import components, on_cycles
from raising.support.record import dataclass
from raising.support.source import Loc

MAX_REBUILT = 20  # schedules that are carried out and compared
MAX_TRIES = 2000  # assignments of times to statements that are looked at


@dataclass(frozen=True)
class Kept:
    """A loop that stays (its body left out) and one iteration of it; `in_place` if it is one of the program's own."""

    loop: Loop
    body: tuple[Node, ...]
    in_place: bool


def sequential_loops(program: Program, deadline: float) -> Iterator[Kept]:
    """Loops of a program one of which has to run in sequence, the best first; none if there is no loop around all.

    `OutOfTime` after the `deadline`, a time of the monotonic clock.
    """
    *before, last = program.body
    whole = last if isinstance(last, Loop) and all(isinstance(n, Load | Compute | IndexValue) for n in before) else None
    scop = build(program)
    for times in itertools.islice(_schedules(scop, deadline), MAX_REBUILT):
        if whole is not None and set(times.values()) == {whole.iv}:
            break
        new = rebuilt(scop, times, _order(scop, times))
        if new is not None:
            yield Kept(replace(new, body=()), new.body, False)
            break
    if whole is not None:
        yield Kept(replace(whole, body=()), (*before, *whole.body), True)


@dataclass(frozen=True)
class Carrier:
    """Why a loop cannot run in any order: what is `read` was `written` so many iterations before.

    `most` is None if the distance grows with the sizes.
    """

    array: str
    written: Loc
    read: Loc
    least: int
    most: int | None


def carrier(program: Program) -> Carrier | None:
    """The dependence that keeps the one loop of a program in sequence; the closest, of those on a cycle first.

    None if no iteration needs another.
    """
    (loop,) = (n for n in program.body if isinstance(n, Loop))
    scop = build(program)
    found = [(d, bounds) for d in _dependences(scop) if (bounds := _distance(d, loop.iv, scop.context)) is not None]
    groups = components(list(scop.statements), scop.readers())
    together = {label: k for k, group in enumerate(groups) for label in group}
    ranked = sorted(found, key=lambda one: (together[one[0].source.label] != together[one[0].sink.label], one[1][0]))
    if not ranked:
        return None
    d, (least, most) = ranked[0]
    return Carrier(d.source.write.node.array, d.source.write.node.loc, scop.loads[d.load].node.loc, least, most)


def _distance(d: _Dependence, iv: str, context: Any) -> tuple[int, int | None] | None:
    """The least and the greatest number of iterations that a dependence reaches back; None if it does not."""
    pairs = _times(d, iv, iv, context)
    back = pairs.deltas().neg().intersect(isl.Set("{ [n] : n > 0 }"))
    if back.is_empty():
        return None
    least, most = back.dim_min_val(0), back.dim_max_val(0)
    return int(least.to_python()), int(most.to_python()) if most.is_int() else None


def private(program: Program, iv: str) -> frozenset[str]:
    """The arrays of which no value goes into, or from one to the next iteration of, the loop over `iv`."""
    scop = build(program)
    found = set()
    for array in {n.array for n in walk(program.body) if isinstance(n, Store)}:
        loads = [a for a in scop.loads.values() if a.node.array == array]
        if all(iv in a.ivs for a in loads) and is_private(scop, loads, iv):
            found.add(array)
    return frozenset(found)


# ---- times ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Dependence:
    """{instance of `sink` → instance of `source` whose value it needs}; `accumulates` if it adds to that in place.

    `load` is the name of the read.
    """

    source: Statement
    sink: Statement
    load: str
    relation: Any
    accumulates: bool


def _dependences(scop: Scop) -> list[_Dependence]:
    found = []
    computes = computes_of(accumulating(scop.program))
    for sink in scop.statements.values():
        for name in sink.reads:
            load = scop.loads[name]
            near = _prefix(sink, load.name, load.ivs)
            for label, relation in dependences(scop.flow[name]):
                same = load.node.array == sink.write.node.array and load.node.subscripts == sink.write.node.subscripts
                source = scop.statements[label]
                adds = same and label == sink.label and _adds(sink, name, computes)
                found.append(_Dependence(source, sink, name, near.apply_range(relation), adds))
    return found


def _adds(statement: Statement, load: str, computes: dict[str, Compute]) -> bool:
    """True if a statement stores what it loads, combined once with something else: x + e, not x * a + e."""
    last = computes.get(statement.value)
    if last is None or last.args.count(load) != 1:
        return False
    return load not in computed_from([a for a in last.args if a != load], computes)


def _prefix(sink: Statement, load: str, ivs: tuple[str, ...]) -> Any:
    """{instance of a statement → the instance of a load in the loops around it}."""
    names = ", ".join(sink.write.ivs)
    every = isl.Map(f"{{ {sink.label}[{names}] -> {load}[{', '.join(ivs)}] }}")
    return every.intersect_domain(sink.write.domain)


def _order(scop: Scop, times: dict[str, str]) -> list[str]:
    """The statements as they have to follow one another at one time."""
    edges: dict[str, set[str]] = {label: set() for label in times}
    for d in _dependences(scop):
        if not d.accumulates and _lag(d, times[d.source.label], times[d.sink.label], scop.context)[1]:
            edges[d.source.label].add(d.sink.label)
    for writers in scop.writers.values():
        for writer in writers:
            for label, earlier in _earlier(scop, writer):
                if label != writer.label and not _at_once(earlier, scop.statements[label], writer, times).is_empty():
                    edges[label].add(writer.label)
    return [label for group in components(list(times), edges) for label in group]


def _earlier(scop: Scop, writer: Statement) -> Iterator[tuple[str, Any]]:
    """Who touches an element before `writer` writes it: its label, and {its instance → the instance of `writer`}."""
    over = writer.write.relation.reverse()
    for s in scop.statements.values():
        touched = [(scop.loads[r], _prefix(s, r, scop.loads[r].ivs)) for r in s.reads] + [(s.write, None)]
        for access, near in touched:
            if access.node.array == writer.write.node.array:
                before = access.relation.apply_range(over).intersect(access.schedule.lex_lt_map(writer.write.schedule))
                yield s.label, before if near is None else near.apply_range(before)


def _at_once(pairs: Any, first: Statement, second: Statement, times: dict[str, str]) -> Any:
    """The pairs of instances at one time."""
    return pairs.intersect(_at(first, times[first.label]).apply_range(_at(second, times[second.label]).reverse()))


def _at(statement: Statement, iv: str) -> Any:
    """{instance of a statement → its value of a loop variable}."""
    return isl.Map(f"{{ {statement.label}[{', '.join(statement.write.ivs)}] -> [{iv}] }}")


def _times(d: _Dependence, source: str, sink: str, context: Any) -> Any:
    """{value of the sink's loop variable `sink` → value of the source's `source`} over the pairs of a dependence."""
    return d.relation.intersect_params(context).apply_domain(_at(d.sink, sink)).apply_range(_at(d.source, source))


def _schedules(scop: Scop, deadline: float) -> Iterator[dict[str, str]]:
    """Valid times, outer loops first."""
    statements = list(scop.statements.values())
    between = _dependences(scop)
    lags: dict[tuple[int, str, str], tuple[bool, bool]] = {}
    for k, d in enumerate(between):
        in_time(deadline)
        lags |= {(k, a, b): _lag(d, a, b, scop.context) for a in d.source.write.ivs for b in d.sink.write.ivs}
    tries = 0

    def extend(times: dict[str, str]) -> Iterator[dict[str, str]]:
        nonlocal tries
        if len(times) == len(statements):
            yield dict(times)
            return
        statement = statements[len(times)]
        for iv in statement.write.ivs:
            tries += 1
            in_time(deadline)
            now = {**times, statement.label: iv}
            if tries < MAX_TRIES and _fits(between, lags, now):
                yield from extend(now)

    return extend({})


def _lag(d: _Dependence, source: str, sink: str, context: Any) -> tuple[bool, bool]:
    """(never from later to earlier, somewhere at the same time) if the two statements have these variables as time."""
    ahead = _times(d, source, sink, context).deltas()  # time of the source less that of the sink
    late = ahead.intersect(isl.Set("{ [d] : d > 0 }")).is_empty()
    return bool(late), not ahead.intersect(isl.Set("{ [0] }")).is_empty()


def _fits(
    between: list[_Dependence], lags: dict[tuple[int, str, str], tuple[bool, bool]], times: dict[str, str]
) -> bool:
    edges: dict[str, set[str]] = {label: set() for label in times}
    for k, d in enumerate(between):
        if d.source.label in times and d.sink.label in times:
            forward, together = lags[k, times[d.source.label], times[d.sink.label]]
            if not forward:
                return False
            if together and not d.accumulates:
                edges[d.source.label].add(d.sink.label)
    return not on_cycles(edges)
