"""Loops that only arrange iterations are taken away: loops that run once or never, and tiles.

`simplify` unwraps the body of a loop that runs once, and drops a loop that never runs and a guard that always or never
holds. `untiled` joins the loop over tiles with the loop inside of one: `for ii by 8, for i in ii … ii + 8` visits what
`for i` visits. Where other loops stand between the two, the order of the iterations changes; that is done only if the
iterations that touch one element keep their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Guard, IndexValue, Load, Loop, Node, Program, Store, forms, walk
from raising.support.record import dataclass


def simplify(program: Program) -> Program:
    """The same program without one-trip and zero-trip loops and without guards that always or never hold."""
    body = _nodes(program.body, {})
    used = {n.array for n in walk(body) if isinstance(n, Load | Store)}
    arrays = {name: a for name, a in program.arrays.items() if name in used}
    return replace(program, body=body, arrays=arrays)


def _nodes(nodes: tuple[Node, ...], fixed: dict[str, Lin]) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in nodes:
        out.extend(_node(node, fixed))
    return tuple(out)


def _node(node: Node, fixed: dict[str, Lin]) -> tuple[Node, ...]:
    match node:
        case Loop():
            return _loop(node, fixed)
        case Guard():
            conds = tuple(Cond(c.form.substitute(fixed.get), c.equality) for c in node.conds)
            if any(c.form.is_const and not c.holds({}) for c in conds):
                return ()
            open_ = tuple(c for c in conds if not c.form.is_const)
            body = _nodes(node.body, fixed)
            return (replace(node, conds=open_, body=body),) if open_ and body else body
        case Load() | Store():
            return (replace(node, subscripts=tuple(f.substitute(fixed.get) for f in node.subscripts)),)
        case IndexValue():
            return (replace(node, form=node.form.substitute(fixed.get)),)
        case _:
            return (node,)


def _loop(node: Loop, fixed: dict[str, Lin]) -> tuple[Node, ...]:
    lower = tuple(f.substitute(fixed.get) for f in node.lower)
    upper = tuple(f.substitute(fixed.get) for f in node.upper)
    gaps = [(b - a).const for a in lower for b in upper if (b - a).is_const]
    if any(gap <= 0 for gap in gaps):
        return ()
    if len(lower) == len(upper) == 1 and gaps and gaps[0] <= node.step:
        return _nodes(node.body, {**fixed, node.iv: lower[0]})
    body = _nodes(node.body, fixed)
    return (replace(node, lower=lower, upper=upper, body=body),) if body else ()


def untiled(program: Program) -> Program:
    """The program with the tiles of its perfect nests taken away, where every element is written in the same order."""
    return replace(program, body=tuple(_nest(n) if isinstance(n, Loop) else n for n in program.body))


@dataclass(frozen=True)
class _Tile:
    """A loop over tiles by its variable, and the loop over everything that takes the place of the one inside."""

    iv: str
    merged: Loop


def _nest(outer: Loop) -> Loop:
    """A nest without its tiles; itself if it is not perfect, or if an order would change."""
    loops, body = _chain(outer)
    if any(isinstance(n, Loop | Guard) for n in body):
        return outer
    tiles = {t.merged.iv: t for t in _tiles(loops, body)}
    if not tiles or not _keeps_order(loops, body, tiles):
        return outer
    gone = {t.iv for t in tiles.values()}
    left = [tiles[n.iv].merged if n.iv in tiles else n for n in loops if n.iv not in gone]
    for loop in reversed(left):
        body = (replace(loop, body=body),)
    (whole,) = body
    assert isinstance(whole, Loop)
    return whole


def _chain(loop: Loop) -> tuple[list[Loop], tuple[Node, ...]]:
    """The loops of a nest from the outermost, and what is inside of all of them."""
    loops = [loop]
    while len(loops[-1].body) == 1 and isinstance(inner := loops[-1].body[0], Loop):
        loops.append(inner)
    return loops, loops[-1].body


def _tiles(loops: list[Loop], body: tuple[Node, ...]) -> Iterator[_Tile]:
    """The pairs of loops of which one goes over tiles, used for the bounds of the other and for nothing else."""
    for inner in loops:
        over = next((n for n in loops if inner.lower == (var(n.iv),)), None)
        if over is None or over.step == 1 or inner.step != 1:
            continue
        used = [f for n in (*loops, *walk(body)) if n is not inner for f in forms(n)]
        rest = tuple(f for f in inner.upper if f != var(over.iv) + over.step)
        if len(rest) == len(inner.upper) or any(over.iv in f.names() for f in (*used, *rest)):
            continue
        upper = _end(over, rest)
        if upper is not None:
            yield _Tile(over.iv, replace(inner, lower=over.lower, upper=upper))


def _end(over: Loop, rest: tuple[Lin, ...]) -> tuple[Lin, ...] | None:
    """Where the last tile ends, of bounds `rest` for what lies in any tile; None if that is not affine."""
    if len(over.lower) != 1 or len(over.upper) != 1:
        return None
    if over.upper[0] in rest:
        return rest
    length = over.upper[0] - over.lower[0]
    if not length.is_const:
        return None
    return (*rest, over.lower[0] + -(-length.const // over.step) * over.step)


def _keeps_order(loops: list[Loop], body: tuple[Node, ...], tiles: dict[str, _Tile]) -> bool:
    """True if the iterations that store to one element run in the same order without tiles, and only they read it."""
    stores = [n for n in body if isinstance(n, Store)]
    places = {s.array: s.subscripts for s in stores}
    loads = [n for n in body if isinstance(n, Load) and n.array in places]
    if len(places) < len(stores) or any(n.subscripts != places[n.array] for n in loads):
        return False
    return all(_in_order(loops, s, tiles) for s in stores)


def _in_order(loops: list[Loop], store: Store, tiles: dict[str, _Tile]) -> bool:
    """True if every loop over tiles that does not address the stored element stands right before the one inside."""
    offsets = [f.as_offset() for f in store.subscripts if not f.is_const]
    ivs = {n.iv for n in loops}
    if any(o is None or o[0] not in ivs for o in offsets):
        return False
    kept = {o[0] for o in offsets if o is not None}
    kept |= {tiles[iv].iv for iv in kept if iv in tiles}
    order = [n.iv for n in loops if n.iv not in kept]
    return all(t.iv in kept or order.index(t.iv) + 1 == order.index(iv) for iv, t in tiles.items())
