"""Where two programs can be cut: after so many nests of each, what is needed later is the same in both.

A cut is a guess made from runs (`states`). What it takes for granted is what the part before it has to prove.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence

from raising.affine.ir.program import Compute, IndexValue, Load, Node, Program, Store, walk
from raising.affine.ir.value_names import computed_from, operands
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
class _State:
    """One program after some of its nests: what each array holds, and which arrays are `live` (needed later).

    `intact` are the arguments that nothing has changed so far: they hold what they are given, in both programs.
    `refillable` are the arrays that a nest has filled from those, each with the number of the nest. A state is
    `closed` to a cut if a number that was loaded before it is used after it.
    """

    contents: Mapping[str, Key]
    live: frozenset[str]
    intact: frozenset[str]
    refillable: Mapping[str, int]
    closed: bool

    def needed(self) -> list[Key]:
        """The arrays that must be equal at a cut: they are live, and are neither filled again nor unchanged."""
        names = self.live - self.refillable.keys() - self.intact
        return list(dict.fromkeys(self.contents[n] for n in sorted(names)))

    def holders(self, key: Key) -> tuple[str, ...]:
        """The arrays that hold it: live ones, or any where there are none."""
        names = sorted(n for n, contents in self.contents.items() if contents == key)
        return tuple([n for n in names if n in self.live] or names)


def cuts(pair: Pair, seen: Sequence[tuple[Run, Run]]) -> tuple[Cut, ...]:
    """The longest sequence of cuts from the start to the end; empty if the outputs differ."""
    numbers: dict[Hashable, int] = {}
    source, target = (
        _states(program, [both[k] for both in seen], {ports[k] for ports in pair.outputs}, numbers)
        for k, program in enumerate((pair.source, pair.target))
    )
    if any(source[-1].contents[one] != target[-1].contents[other] for one, other in pair.outputs):
        return ()
    end = len(source) - 1, len(target) - 1
    inner = _longest([p for p in _points(source, target) if p not in ((0, 0), end)])
    both = [n for n, a in pair.source.arrays.items() if a.kind == "argument" and n in pair.target.arrays]
    return (
        Cut(0, 0, tuple(Same((n,), (n,)) for n in both)),
        *(_cut(i, j, source[i], target[j]) for i, j in inner),
        Cut(*end, tuple(Same((one,), (other,)) for one, other in pair.outputs)),
    )


# ---- one program ---------------------------------------------------------------------------------


def _states(program: Program, runs: Sequence[Run], outputs: set[str], numbers: dict[Hashable, int]) -> list[_State]:
    """The program after 0, 1, … and all of its nests. `numbers` are those of contents, shared by both programs."""
    contents, live = _contents(program, runs, numbers), _live(program, runs, outputs)
    unchanged = [intact(program, k) for k in range(len(contents))]
    refillable, crossed = _refillable(program, unchanged), _crossed(program)
    return [_State(contents[k], live[k], unchanged[k], refillable[k], k in crossed) for k in range(len(contents))]


def _contents(program: Program, runs: Sequence[Run], numbers: dict[Hashable, int]) -> list[Mapping[str, Key]]:
    """What each array holds after each number of nests: its type, and a number for its contents in each run."""

    def number(contents: Hashable) -> int:
        return numbers.setdefault(contents, len(numbers))

    now: dict[str, Key] = {
        n: ((a.element, a.shape), *(number(run.start[n]) for run in runs)) for n, a in program.arrays.items()
    }
    found: list[Mapping[str, Key]] = [now]
    for effects in zip(*(run.effects for run in runs), strict=True):
        now = dict(now)
        for name in {n for effect in effects for n in effect.held}:
            kind, *before = now[name]
            after = zip(effects, before, strict=True)
            now[name] = (kind, *(number(e.held[name]) if name in e.held else old for e, old in after))
        found.append(now)
    return found


def _live(program: Program, runs: Sequence[Run], outputs: set[str]) -> list[frozenset[str]]:
    """The arrays of which elements are needed after each number of nests; not by a nest of which nothing is needed."""
    found = [frozenset(outputs)]
    live = [{n: set(range(r.counts[n])) for n in outputs} for r in runs]
    for k in reversed(range(len(program.body))):
        for run, needed in zip(runs, live, strict=True):
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


def _refillable(program: Program, unchanged: Sequence[frozenset[str]]) -> list[Mapping[str, int]]:
    """After each number of nests, the arrays that one has filled from intact arguments, and none changed since."""
    found: list[Mapping[str, int]] = [{}]
    reads: list[set[str]] = []
    for k, node in enumerate(program.body):
        inside = list(walk((node,)))
        stored = {n.array for n in inside if isinstance(n, Store)}
        own = {n.dst for n in inside if isinstance(n, Compute | IndexValue | Load)}
        reads.append({n.array for n in inside if isinstance(n, Load)})
        kept = {n: m for n, m in found[-1].items() if n not in stored and reads[m] <= unchanged[k + 1]}
        if len(stored) == 1 and reads[k] <= unchanged[k + 1] and names_used((node,)) <= own | program.scalars.keys():
            kept[stored.pop()] = k
        found.append(kept)
    return found


def _crossed(program: Program) -> set[int]:
    """The positions across which a scalar load is used; other scalar operations can be computed again."""
    crossed, loaded = set[int](), dict[str, int]()
    for k, node in enumerate(program.body):
        used = [loaded[name] for name in names_used((node,)) if name in loaded]
        crossed.update(*(range(first + 1, k + 1) for first in used))
        if isinstance(node, Load):
            loaded[node.dst] = k
        elif isinstance(node, Compute) and used:
            loaded[node.dst] = min(used)
    return crossed


def names_used(nodes: Sequence[Node]) -> set[str]:
    """The scalar values that nodes use."""
    return {name for node in walk(tuple(nodes)) for name in operands(node)}


def recomputed(program: Program, before: int, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The scalar operations outside of loops, before a cut, whose results are needed after it."""
    known = {n.dst: n for n in program.body[:before] if isinstance(n, Compute | IndexValue)}
    wanted = set(computed_from(names_used(nodes), known))
    return tuple(n for name, n in known.items() if name in wanted)


# ---- both ----------------------------------------------------------------------------------------


def _points(source: Sequence[_State], target: Sequence[_State]) -> Iterator[tuple[int, int]]:
    """The positions at which everything that one program needs later exists in the other, or can be made again."""
    sides = [
        [(k, {*s.needed()}, {*s.contents.values()}) for k, s in enumerate(states) if not s.closed]
        for states in (source, target)
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


def _cut(i: int, j: int, source: _State, target: _State) -> Cut:
    """The cut at a point: the arrays that are needed, and what is the same as these."""
    wanted = dict.fromkeys([*source.needed(), *target.needed()])
    same = tuple(Same(source.holders(key), target.holders(key)) for key in wanted)
    return Cut(i, j, same, (source.refillable, target.refillable))
