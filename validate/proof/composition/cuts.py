"""Where two programs can be cut: after so many nests of each, what is needed later is the same in both.

A cut is a guess made from runs (`states`). What it takes for granted is what the part before it has to prove.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence

from raising.affine.ir.program import Compute, IndexValue, Load, Node, Program, Store, walk
from raising.support.record import dataclass
from raising.validate.proof.composition.states import Run
from raising.validate.reading.pair import Pair

Key = tuple[Hashable, ...]
"""What an array holds in all runs, and its type."""


@dataclass(frozen=True)
class Same:
    """Arrays of the source and of the target that hold the same; at least one of each."""

    source: tuple[str, ...]
    target: tuple[str, ...]


@dataclass(frozen=True)
class Cut:
    """After `source` nests of the source and `target` of the target these arrays are the same.

    `remade` are the nests of each program before the cut that fill arrays from arguments as they still are, and whose
    result is still there: they can be done again after it.
    """

    source: int
    target: int
    same: tuple[Same, ...]
    remade: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {})


@dataclass(frozen=True)
class _Side:
    """Between nests of one program: what each array holds, which are needed later, and who can fill which again.

    `intact` are the arguments that nothing has changed so far: they hold what they are given, in both programs.
    """

    held: Sequence[Mapping[str, Key]]
    live: Sequence[frozenset[str]]
    fillers: Sequence[Mapping[str, int]]
    intact: Sequence[frozenset[str]]
    allowed: frozenset[int]

    def needed(self, k: int) -> list[Key]:
        """The memories that have to be equal at a cut: needed later, and neither filled again nor intact."""
        names = self.live[k] - self.fillers[k].keys() - self.intact[k]
        return list(dict.fromkeys(self.held[k][n] for n in sorted(names)))


def cuts(pair: Pair, seen: Sequence[tuple[Run, Run]]) -> tuple[Cut, ...]:
    """The longest sequence of cuts from the start to the end; empty if the outputs differ."""
    numbers: dict[Hashable, int] = {}
    sides = [
        _side(program, [both[k] for both in seen], {pair.outputs[o][k] for o in range(len(pair.outputs))}, numbers)
        for k, program in enumerate((pair.source, pair.target))
    ]
    source, target = sides
    last = len(pair.source.body), len(pair.target.body)
    if any(source.held[-1][one] != target.held[-1][other] for one, other in pair.outputs):
        return ()
    points = [p for p in _points(source, target) if p not in ((0, 0), last)]
    inner = [_cut(source, target, p) for p in _longest(points)]
    return (_start(pair), *inner, Cut(*last, tuple(Same((one,), (other,)) for one, other in pair.outputs)))


def _start(pair: Pair) -> Cut:
    both = [n for n, a in pair.source.arrays.items() if a.kind == "argument" and n in pair.target.arrays]
    return Cut(0, 0, tuple(Same((n,), (n,)) for n in both))


# ---- one program ---------------------------------------------------------------------------------


def _side(program: Program, seen: Sequence[Run], outputs: set[str], numbers: dict[Hashable, int]) -> _Side:
    kinds = {n: (a.element, a.shape) for n, a in program.arrays.items()}

    def key(name: str, contents: Sequence[Hashable]) -> Key:
        return (kinds[name], *(numbers.setdefault(c, len(numbers)) for c in contents))

    held = [{n: key(n, [r.start[n] for r in seen]) for n in kinds}]
    for k in range(len(program.body)):
        changed = {n for r in seen for n in r.effects[k].held}
        before = held[-1]
        new = {n: (before[n][0], *_contents(n, k, seen, before[n], numbers)) for n in changed}
        held.append({**before, **new})
    unchanged = [intact(program, k) for k in range(len(held))]
    return _Side(held, _live(program, seen, outputs), _fillers(program, unchanged), unchanged, _allowed(program))


def _contents(name: str, k: int, seen: Sequence[Run], before: Key, numbers: dict[Hashable, int]) -> Iterator[Hashable]:
    for run, old in zip(seen, before[1:], strict=True):
        now = run.effects[k].held.get(name)
        yield old if now is None else numbers.setdefault(now, len(numbers))


def _live(program: Program, seen: Sequence[Run], outputs: set[str]) -> list[frozenset[str]]:
    """The arrays of which elements are needed after each number of nests; not by a nest of which nothing is needed."""
    found = [frozenset(outputs)]
    live = [{n: set(range(r.counts[n])) for n in outputs} for r in seen]
    for k in reversed(range(len(program.body))):
        for run, needed in zip(seen, live, strict=True):
            effects = run.effects[k]
            if effects.written and not any(at & needed.get(n, set()) for n, at in effects.written.items()):
                continue
            for name, written in effects.written.items():
                if name in needed:
                    needed[name] -= written
            for name, read in effects.read.items():
                needed[name] = needed.get(name, set()) | read
        found.append(frozenset(n for needed in live for n, left in needed.items() if left))
    return found[::-1]


def intact(program: Program, before: int) -> frozenset[str]:
    """The arguments that no nest before a cut writes."""
    changed = {n.array for n in walk(program.body[:before]) if isinstance(n, Store)}
    return frozenset(n for n, a in program.arrays.items() if a.kind == "argument" and n not in changed)


def _fillers(program: Program, unchanged: Sequence[frozenset[str]]) -> list[Mapping[str, int]]:
    """After each number of nests, the arrays that one has filled from intact arguments, and none changed since."""
    found: list[Mapping[str, int]] = [{}]
    reads: dict[int, set[str]] = {}
    for k, node in enumerate(program.body):
        inside = list(walk((node,)))
        stored = {n.array for n in inside if isinstance(n, Store)}
        own = {n.dst for n in inside if isinstance(n, Compute | IndexValue)}
        own |= {n.dst for n in inside if isinstance(n, Load)}
        reads[k] = {n.array for n in inside if isinstance(n, Load)}
        free = reads[k] <= unchanged[k + 1] and names_used((node,)) <= own | program.scalars.keys()
        kept = {n: m for n, m in found[-1].items() if n not in stored and reads[m] <= unchanged[k + 1]}
        found.append({**kept, **dict.fromkeys(stored, k)} if free and len(stored) == 1 else kept)
    return found


def _allowed(program: Program) -> frozenset[int]:
    """The positions across which no scalar load is used; other scalar operations can be computed again."""
    crossed, loaded = set[int](), dict[str, int]()
    for k, node in enumerate(program.body):
        used = [loaded[name] for name in names_used((node,)) if name in loaded]
        for first in used:
            crossed |= set(range(first + 1, k + 1))
        if isinstance(node, Load):
            loaded[node.dst] = k
        elif isinstance(node, Compute) and used:
            loaded[node.dst] = min(used)
    return frozenset(range(len(program.body) + 1)) - crossed


def names_used(nodes: Sequence[Node]) -> set[str]:
    """The scalar values that nodes use."""
    found = set[str]()
    for node in walk(tuple(nodes)):
        if isinstance(node, Compute):
            found |= set(node.args)
        elif isinstance(node, Store):
            found.add(node.value)
    return found


def recomputed(program: Program, before: int, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The scalar operations outside of loops, before a cut, whose results are needed after it."""
    known = {n.dst: n for n in program.body[:before] if isinstance(n, Compute | IndexValue)}
    wanted, pending = set[str](), list(names_used(nodes))
    while pending:
        name = pending.pop()
        if name in known and name not in wanted:
            wanted.add(name)
            pending += names_used((known[name],))
    return tuple(n for name, n in known.items() if name in wanted)


# ---- both ----------------------------------------------------------------------------------------


def _points(source: _Side, target: _Side) -> Iterator[tuple[int, int]]:
    """The positions at which everything that one program needs later exists in the other, or can be made again."""
    sides = [
        [(k, frozenset(s.needed(k)), frozenset(s.held[k].values())) for k in sorted(s.allowed)]
        for s in (source, target)
    ]
    for i, needed, there in sides[0]:
        for j, also_needed, also_there in sides[1]:
            if needed <= also_there and also_needed <= there:
                yield i, j


def _longest(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest row of points that never goes back in either program (Fredman 1975)."""
    ends: list[int] = []  # the least second number at the end of a row of each length
    at: list[int] = []
    before: list[int | None] = []
    for k, (_, j) in enumerate(points):
        length = bisect_right(ends, j)
        before.append(at[length - 1] if length else None)
        ends[length : length + 1] = [j]
        at[length : length + 1] = [k]
    found, last = [], at[-1] if at else None
    while last is not None:
        found.append(points[last])
        last = before[last]
    return found[::-1]


def _cut(source: _Side, target: _Side, point: tuple[int, int]) -> Cut:
    """The cut at a point: the arrays that are needed, and what is the same as these where no other of a side is."""
    i, j = point
    wanted = dict.fromkeys([*source.needed(i), *target.needed(j)])
    same = [Same(_holders(source, i, key), _holders(target, j, key)) for key in wanted]
    return Cut(i, j, tuple(same), (source.fillers[i], target.fillers[j]))


def _holders(side: _Side, k: int, key: Key) -> tuple[str, ...]:
    names = sorted(n for n in side.live[k] if side.held[k][n] == key)
    return tuple(names or sorted(n for n, held in side.held[k].items() if held == key))
