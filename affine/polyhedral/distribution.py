"""Distribution: a program as a sequence of smallest independent parts over versions of its arrays.

Parts are the strongly connected components of the value-based flow. Only true
dependences bind them, since a part reads *versions*: version t of an array
is its contents after the t-th part that writes it. A read whose values do not
all belong to one version cannot be expressed so, and its part says why.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import islpy as isl

from raising.affine.ir.program import Program
from raising.affine.polyhedral.scop import Access, Scop, Statement, build, dependences
from raising.affine.polyhedral.slice import pruned
from raising.support.errors import in_time
from raising.support.graphs import components
from raising.support.record import dataclass


@dataclass(frozen=True)
class Version:
    """The contents of an array after its first `count` writing parts; 0 is its contents at entry."""

    array: str
    count: int

    def __str__(self) -> str:
        return f"{self.array}@{self.count}"


@dataclass(frozen=True)
class Input:
    """An array that a part's program reads, the version it stands for, and the elements read (isl set)."""

    name: str
    version: Version
    region: Any


@dataclass(frozen=True)
class Problem:
    """Why a part cannot be a program of its own, and the array that this is due to."""

    reason: str
    array: str


@dataclass(frozen=True)
class Part:
    """A component as a program of its own.

    `inputs` are read only, or hold the initial contents of an output; each of
    `outputs` is the version that the part makes of an array, and `masks` the
    elements (isl set) that it writes. `problem` says why it is no such program, if it is none.
    It `accumulates` if each value that is carried from one iteration to the next stays
    in its element: a reduction may be there.
    """

    program: Program
    statements: tuple[Statement, ...]
    inputs: tuple[Input, ...]
    outputs: dict[str, Version]
    masks: dict[str, Any]
    carried: bool
    problem: Problem | None = None
    accumulates: bool = False


@dataclass(frozen=True)
class Distribution:
    """The parts in an order that respects every flow, and the last version of each array written."""

    scop: Scop
    parts: tuple[Part, ...]
    final: dict[str, Version]

    @property
    def needed(self) -> tuple[Part, ...]:
        """The parts on which what lives on depends; a local value that only its own iteration reads may need none."""
        wanted = {v for array, v in self.final.items() if array in self.scop.program.live_out}
        found: list[Part] = []
        for part in reversed(self.parts):
            made = set(part.outputs.values())
            if made & wanted:
                found.append(part)
                wanted |= {given.version for given in part.inputs} | {Version(v.array, v.count - 1) for v in made}
        return tuple(reversed(found))


def distribute(
    scop: Scop, together: frozenset[frozenset[str]] = frozenset(), deadline: float = math.inf
) -> Distribution:
    """Split a program into parts; those statements that are to stay `together` do, each set of them.

    A part that sees states of an array within a loop that it shares with the
    statements which make them is joined with these. `OutOfTime` after the
    `deadline`, a time of the monotonic clock.
    """
    while True:
        distribution = _distributed(scop, together, deadline)
        more = {_joined(scop, part, part.problem.array) for part in distribution.parts if part.problem is not None}
        more = {labels for labels in more if labels and not any(labels <= known for known in together)}
        if not more:
            return distribution
        together |= more


def _joined(scop: Scop, part: Part, array: str) -> frozenset[str]:
    """A part's statements and those writers of an array that share most loops with it; none if none does."""
    own = frozenset(s.label for s in part.statements)
    others = [w for w in scop.writers.get(array, []) if w.label not in own]
    shared = {w.label: max(_common(w.write.ivs, s.write.ivs) for s in part.statements) for w in others}
    most = max(shared.values(), default=0)
    return own | {label for label, depth in shared.items() if depth == most} if most else frozenset()


def _common(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """The number of loops that are around both."""
    return next(
        (k for k, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def _distributed(scop: Scop, together: frozenset[frozenset[str]], deadline: float) -> Distribution:
    edges = _edges(scop, deadline)
    for labels in together:
        first, *rest = sorted(labels)
        for label in rest:
            edges[first].add(label)
            edges[label].add(first)
    groups = components(list(scop.statements), edges)
    contents: dict[Version, Any] = {}
    latest: dict[str, int] = {}
    orders: list[dict[str, Version]] = []
    for group in groups:
        in_time(deadline)
        made = {}
        for array in sorted({scop.statements[label].write.node.array for label in group}):
            latest[array] = latest.get(array, 0) + 1
            made[array] = Version(array, latest[array])
            writes = [scop.statements[x].write for x in group if scop.statements[x].write.node.array == array]
            contents[made[array]] = _overwritten(contents.get(Version(array, latest[array] - 1)), last_writes(writes))
        orders.append(made)
    parts = []
    for group, made in zip(groups, orders, strict=True):
        in_time(deadline)
        parts.append(_part(scop, group, made, contents))
    return Distribution(scop, tuple(parts), {a: Version(a, n) for a, n in latest.items()})


# ---- order ---------------------------------------------------------------------------------------


def _edges(scop: Scop, deadline: float) -> dict[str, set[str]]:
    """source label → labels that must come after it, by flow and by order of overwriting."""
    edges = scop.readers()
    for writers in scop.writers.values():
        for a, b in combinations(writers, 2):
            in_time(deadline)
            same = a.write.relation.apply_range(b.write.relation.reverse()).intersect_params(scop.context)
            if not same.is_empty():
                for first, second, pairs in ((a, b, same), (b, a, same.reverse())):
                    known = second.label in edges[first.label]
                    if not known and _comes_before(first.write, second.write, pairs):
                        edges[first.label].add(second.label)
    return edges


def _comes_before(first: Access, second: Access, pairs: Any) -> bool:
    """True if `second` may write an element after `first` has written it, in one of the `pairs` that write the same."""
    return not pairs.intersect(first.schedule.lex_lt_map(second.schedule)).is_empty()


# ---- versions ------------------------------------------------------------------------------------


def last_writes(writes: list[Access]) -> Any:
    """{element → the store instance that writes it last} among some stores to one array."""
    times = None
    instances = None
    for w in writes:
        stamped = w.relation.reverse().apply_range(w.schedule)
        times = stamped if times is None else times.union(stamped)
        back = isl.UnionMap.from_map(w.schedule.reverse())
        instances = back if instances is None else instances.union(back)
    assert times is not None
    return isl.UnionMap.from_map(times.lexmax()).apply_range(instances)


def _overwritten(before: Any, writes: Any) -> Any:
    if before is None:
        return writes
    return before.subtract_domain(writes.domain()).union(writes)


def _external(scop: Scop, load: Access, inside: set[str]) -> tuple[Any, Any, Any]:
    """(flow from outside, flow from inside, load instances that do not read from inside)."""
    outer = isl.UnionMap.empty(load.domain.get_space().params())
    inner = outer
    for source, dependence in dependences(scop.flow[load.name]):
        one = isl.UnionMap.from_map(dependence)
        if source in inside:
            inner = inner.union(one)
        else:
            outer = outer.union(one)
    return outer, inner, isl.UnionSet.from_set(load.domain).subtract(inner.domain())


def _version_of(
    scop: Scop, load: Access, outer: Any, elements: Any, made: dict[str, Version], contents: dict[Version, Any]
) -> Version | None:
    """The version that holds every value that a load takes from outside: `outer`, by `elements`; None if none does."""
    array = load.node.array
    top = max((v.count for v in contents if v.array == array), default=0)
    own = made.get(array)
    counts = [own.count - 1] if own is not None else []
    counts += [t for t in range(top, -1, -1) if t not in counts]
    wanted = outer.intersect_params(scop.context)
    for version in (Version(array, count) for count in counts):
        held = contents.get(version)
        stored = isl.UnionMap.empty(elements.get_space()) if held is None else elements.apply_range(held)
        if stored.intersect_params(scop.context).is_equal(wanted):
            return version
    return None


# ---- parts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Read:
    """A load in a part: which array of the part's program it reads, and what it takes from outside and inside of it.

    From outside it takes the elements `region` of `version`; `recurs` if it takes values of the part itself.
    """

    load: Access
    name: str
    version: Version
    region: Any
    recurs: bool
    problem: Problem | None


def _read(scop: Scop, load: Access, inside: set[str], made: dict[str, Version], contents: dict[Version, Any]) -> _Read:
    outer, inner, instances = _external(scop, load, inside)
    elements = isl.UnionMap.from_map(load.relation).intersect_domain(instances)
    region = load.relation.intersect_domain(instances.extract_set(load.domain.get_space())).range()
    array, loc, problem = load.node.array, load.node.loc, None
    version = _version_of(scop, load, outer, elements, made, contents)
    if version is None:
        problem = Problem(f"the values read at {loc} come from several states of the array", array)
        version = Version(array, 0)
    own, recurs = made.get(array), not inner.is_empty()
    initial = own is not None and version.count == own.count - 1
    if recurs and not initial and not region.is_empty():
        problem = Problem(f"the loop at {loc} mixes its own results with an older state of the array", array)
    name = array if recurs or initial else f"{array}_{version.count}v"
    return _Read(load, name, version, region, recurs, problem)


def _part(scop: Scop, group: list[str], made: dict[str, Version], contents: dict[Version, Any]) -> Part:
    inside = set(group)
    statements = tuple(scop.statements[label] for label in group)
    loads = dict.fromkeys(r for s in statements for r in s.reads)
    reads = [_read(scop, scop.loads[r], inside, made, contents) for r in loads]
    inputs: dict[str, Input] = {}
    for read in (r for r in reads if not r.region.is_empty()):
        other = inputs.get(read.name)
        inputs[read.name] = Input(
            read.name, read.version, read.region if other is None else other.region.union(read.region)
        )
    program = pruned(scop.program, inside, {r.load.name: r.name for r in reads}, set(made))
    written = {s.write.node.array: s.write.node.subscripts for s in statements}
    recurrent = [r.load.node for r in reads if r.recurs]
    carried, moves = bool(recurrent), any(n.subscripts != written[n.array] for n in recurrent)
    problem = next((r.problem for r in reversed(reads) if r.problem is not None), None)
    if problem is None and carried:
        problem = _flow_problem(scop, program, inside)
    masks = {a: _mask(a, statements) for a in made}
    return Part(program, statements, tuple(inputs.values()), made, masks, carried, problem, carried and not moves)


def _mask(array: str, statements: tuple[Statement, ...]) -> Any:
    """The elements of an array that statements write."""
    first, *others = (s.write.relation.range() for s in statements if s.write.node.array == array)
    for other in others:
        first = first.union(other)
    return first.coalesce()


def _flow_problem(scop: Scop, program: Program, inside: set[str]) -> Problem | None:
    """Why a part alone reads other values than inside of all of the program; None if it does not."""
    alone = build(program)
    for name, load in alone.loads.items():
        inner = _external(scop, scop.loads[name], inside)[1]
        if not alone.flow[name].intersect_params(scop.context).is_equal(inner.intersect_params(scop.context)):
            why = f"the value read at {load.node.loc} is overwritten by another statement in between"
            return Problem(why, scop.loads[name].node.array)
    return None
