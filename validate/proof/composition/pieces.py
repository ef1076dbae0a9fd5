"""The programs between two cuts as a pair to prove: equality at the first cut is given, at the second it is asked for.

Arrays that are the same at the first cut are one argument, with the same unknown contents in both programs. A second
array that holds them is filled from it. All other memory holds what nothing is known of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import const, var
from raising.affine.ir.program import Array, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.renaming import renamed
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.proof.composition.cuts import Cut, intact, names_used, recomputed
from raising.validate.reading.pair import Pair


@dataclass(frozen=True)
class Piece:
    """The part of both programs between two cuts. `where` are its first and last line in the source's file."""

    pair: Pair
    where: tuple[int, int]


def piece(pair: Pair, first: Cut, last: Cut) -> Piece | None:
    """The pair of programs between two cuts; None if there is nothing to prove."""
    bodies = pair.source.body[first.source : last.source], pair.target.body[first.target : last.target]
    stored = [{n.array for n in walk(body) if isinstance(n, Store)} for body in bodies]
    asked = list(_asked(first, last, stored[0], stored[1]))
    if not asked:
        return None
    names = _names(pair, first)
    wanted = [{a for a, _ in asked}, {b for _, b in asked}]
    sides = [
        _side(program, _Start(at, remade, dict(zip(names, members, strict=True)), prefix), body, asked_of)
        for program, at, remade, members, prefix, body, asked_of in zip(
            (pair.source, pair.target),
            (first.source, first.target),
            first.remade,
            ([s.source for s in first.same], [s.target for s in first.same]),
            ("s_", "t_"),
            bodies,
            wanted,
            strict=True,
        )
    ]
    outputs = tuple((sides[0][1](a), sides[1][1](b)) for a, b in asked)
    scopes = {sides[k][1](n): d for k in (0, 1) for n, d in pair.scopes.items()}
    labels = tuple(a for a, _ in asked)
    return Piece(
        replace(pair, source=sides[0][0], target=sides[1][0], outputs=outputs, labels=labels, scopes=scopes),
        _lines(bodies[0]),
    )


def _asked(first: Cut, last: Cut, source: set[str], target: set[str]) -> Iterator[tuple[str, str]]:
    """The pairs of arrays that have to be the same at the second cut, and are not the ones of the first untouched."""
    known = {(a, b) for same in first.same for a in same.source for b in same.target}
    for same in last.same:
        pairs = [(same.source[0], b) for b in same.target] + [(a, same.target[0]) for a in same.source[1:]]
        for a, b in pairs:
            if (a, b) not in known or a in source or b in target:
                yield a, b


def _names(pair: Pair, cut: Cut) -> tuple[str, ...]:
    """A name for each class of arrays that are the same: an argument's own where nothing has changed it yet."""
    unchanged = intact(pair.source, cut.source)
    found = []
    for k, same in enumerate(cut.same):
        kept = [n for n in same.source if n in unchanged]
        found.append(kept[0] if kept else f"c_{k}")
    return tuple(found)


@dataclass(frozen=True)
class _Start:
    """A cut of one program: where, what can be made again, the arrays that are given, by the name of what they hold."""

    at: int
    remade: Mapping[str, int]
    given: Mapping[str, tuple[str, ...]]
    prefix: str


def _side(
    program: Program, start: _Start, body: tuple[Node, ...], wanted: set[str]
) -> tuple[Program, Callable[[str], str]]:
    """A program's nests after a cut, and the names that its arrays have there."""
    given = {n for members in start.given.values() for n in members}
    used = wanted | {n.array for n in walk(body) if isinstance(n, Load | Store)}
    again = sorted({k for n, k in start.remade.items() if n in used - given})
    body = (*(program.body[k] for k in again), *body)
    body = (*recomputed(program, start.at, body), *body)
    prefix, unchanged = start.prefix, intact(program, start.at)
    used = wanted | {n.array for n in walk(body) if isinstance(n, Load | Store)}
    called = dict[str, str]()
    copies: list[tuple[str, str]] = []
    for name, members in start.given.items():
        own = [name] if name in unchanged & used else []
        there = own + [n for n in members if n in used and n != name]
        if there:
            called[there[0]] = name
            copies += [(n, name) for n in there[1:]]
    lost = {n for n in used if n not in called and n not in unchanged and program.arrays[n].kind == "argument"}

    def new(old: str) -> str:
        return called.get(old) or (prefix + old if old in lost else old)

    arrays = {n: _array(program.arrays[n], n in called or n in unchanged) for n in program.arrays if n in used}
    scalars = {n: s for n, s in program.scalars.items() if n in names_used(body)}
    inside = renamed(replace(program, arrays=arrays, scalars=scalars, body=body, live_out=frozenset()), new)
    fills = [_filled(inside.arrays[new(n)], source, f"{prefix}copy{k}_") for k, (n, source) in enumerate(copies)]
    return replace(inside, body=(*(node for nodes in fills for node in nodes), *inside.body)), new


def _array(array: Array, given: bool) -> Array:
    return replace(array, kind="argument" if given else "local")


def _filled(array: Array, source: str, prefix: str) -> tuple[Node, ...]:
    """Loops that copy an array of the same shape."""
    ivs = [f"{prefix}{d}" for d in range(len(array.shape))]
    at = tuple(map(var, ivs))
    body: tuple[Node, ...] = (
        Load(f"{prefix}v", source, at, Loc()),
        Store(f"{prefix}s", array.name, at, f"{prefix}v", Loc()),
    )
    for iv, extent in reversed(list(zip(ivs, array.shape, strict=True))):
        body = (Loop(iv, (const(0),), (extent,), 1, body, Loc()),)
    return body


def _lines(body: tuple[Node, ...]) -> tuple[int, int]:
    lines = [n.loc.line for n in walk(body) if n.loc.line]
    return (min(lines), max(lines)) if lines else (0, 0)
