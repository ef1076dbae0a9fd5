"""Loops over tiles are taken away: `for ii by 8, for i in ii … ii + 8` visits what `for i` visits.

A loop goes over tiles if every store inside of it stands in a loop over one tile, and if nothing else asks for its
variable. Without it, each loop over one tile goes over all of them: nests need not be perfect, and a loop over tiles
that holds several loops over one tile is distributed over them. Where other loops stand between the two, the order of
the iterations changes; that is done only if those that touch one element, one of them storing to it, keep their order
(Wolf and Lam 1991; the dependences are isl's).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial, reduce
from itertools import product
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Guard, Load, Loop, Node, Program, Store, forms, walk
from raising.affine.ir.rewriting import with_all_forms, with_loops
from raising.affine.polyhedral.distribution import last_writes
from raising.affine.polyhedral.scop import Access, accesses, context_set, value_flow, within, within_outer
from raising.affine.transforms.reroll import rerolled

_PAIRS = 400  # of accesses of which it is asked whether they keep their order, for one nest


def untiled(program: Program, known: Any = None) -> Program:
    """The program without unrolled loops and, where an element's iterations keep their order, loops over tiles.

    For `known` see `raising.affine.transforms.reroll.rerolled`.
    """
    program = rerolled(program, known)
    program = replace(program, body=with_loops(program.body, _from_start))
    if not any(_is_over_tiles(n) for n in walk(program.body)):
        return program
    return replace(program, body=_nodes(with_loops(program.body, _joined), within_outer(program)))


def _is_over_tiles(node: Node) -> bool:
    return isinstance(node, Loop) and _without(node) is not None


def _from_start(over: Loop) -> tuple[Node, ...]:
    """A loop over tiles whose loops over one tile count from 0, with loops from the tile's start in place of these."""
    if over.step == 1:
        return (over,)
    moved = replace(over, body=with_loops(over.body, partial(_counted_from, over)))
    return (moved if moved != over and _without(moved) is not None else over,)


def _counted_from(over: Loop, tile: Loop) -> tuple[Node, ...]:
    """A loop of as many iterations as another has as its step, counted from that one's variable.

    Of several such loops inside of each other, each is of the one whose variable is added to its own.
    """
    if tile.lower != (Lin(0),) or tile.step > 1 or Lin(over.step) not in tile.upper:
        return (tile,)
    start = var(over.iv)
    put = {tile.iv: var(tile.iv) - start}
    body = with_all_forms(tile.body, lambda form: form.substitute(put.get))
    before, after = ([f for n in walk(nodes) for f in forms(n)] for nodes in (tile.body, body))
    if any(tile.iv in f.names() and over.iv in moved.names() for f, moved in zip(before, after, strict=True)):
        return (tile,)
    return (replace(tile, lower=(start,), upper=tuple(f + start for f in tile.upper), body=body),)


def _joined(over: Loop) -> tuple[Node, ...]:
    """A loop over tiles that holds one loop over a tile and nothing else, as one loop: the order is the same."""
    single = len(over.body) == 1 and _tile(over.body[0], over)
    return (_without(over) if single else None) or (over,)


def _nodes(nodes: tuple[Node, ...], around: Program) -> tuple[Node, ...]:
    """Nodes without loops over tiles, inside of the loops that `around` has as its sizes."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            found += _loop(node, around)
        else:
            found.append(replace(node, body=_nodes(node.body, around)) if isinstance(node, Guard) else node)
    return tuple(found)


def _loop(loop: Loop, around: Program) -> tuple[Node, ...]:
    """A loop without all loops over tiles that it is or has, if that keeps the order; else without some of them."""
    if _is_over_tiles(loop):
        without = with_loops((loop,), lambda inner: _without(inner) or (inner,))
        if _keeps_order(loop, without, around):
            return without
    inner = replace(loop, body=_nodes(loop.body, within(loop, around)))
    without = _without(inner) or ()
    return without if without and _keeps_order(inner, without, around) else (inner,)


# ---- one loop over tiles -----------------------------------------------------------------------------


def _without(over: Loop) -> tuple[Node, ...] | None:
    """The body of a loop over tiles, with its loops widened to all tiles; None for another loop."""
    if len(over.lower) != 1 or not any(_tile(n, over) for n in walk(over.body)):
        return None
    return _widened(over.body, over)


def _widened(nodes: tuple[Node, ...], over: Loop) -> tuple[Node, ...] | None:
    """Nodes with loops over all tiles for those over one; None if a store is in none, or the variable is used."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop) and _tile(node, over):
            wide = _wide(node, over)
            if any(over.iv in f.names() for n in walk((wide,)) for f in forms(n)):
                return None
            found.append(wide)
            continue
        if isinstance(node, Store) or any(over.iv in f.names() for f in forms(node)):
            return None
        if isinstance(node, Loop | Guard):
            body = _widened(node.body, over)
            if body is None:
                return None
            node = replace(node, body=body)
        found.append(node)
    return tuple(found)


def _tile(node: Node, over: Loop) -> Lin | None:
    """The first value of a loop over one tile; None if a node is no such loop."""
    if not isinstance(node, Loop):
        return None
    for first in node.lower:
        length = dict(first.terms).get(over.iv, 0) * over.step
        if length > 0 and not length % node.step and first + length in node.upper:
            return first if node.step == 1 or len(node.lower) == 1 else None
    return None


def _wide(tile: Loop, over: Loop) -> Loop:
    """The loop over all tiles in place of one over a tile."""
    first = _tile(tile, over)
    assert first is not None
    length = dict(first.terms)[over.iv] * over.step
    low = first.substitute(lambda n: over.lower[0] if n == over.iv else None)
    rest = tuple(f for f in tile.upper if f != first + length)
    ends = [low + (f - over.lower[0] + (over.step - 1)).floordiv(over.step).scaled(length) for f in over.upper]
    ends = [f for f in ends if not _implied(f, low, rest)]
    lower = tuple(dict.fromkeys(low if f == first else f for f in tile.lower))
    return replace(tile, lower=lower, upper=tuple(dict.fromkeys((*rest, *ends))))


def _implied(end: Lin, low: Lin, rest: tuple[Lin, ...]) -> bool:
    """True if no iteration from `low` to `rest` is at `end` or beyond."""
    if not rest:
        return False
    names = sorted(end.names().union(low.names(), *(f.names() for f in rest)))
    numbers = {name: f"x{k}" for k, name in enumerate(names)}

    def text(form: Lin) -> str:
        return form.substitute(lambda n: var(numbers[n])).isl()

    beyond = " and ".join(f"i < {text(f)}" for f in rest)
    where = f"{text(low)} <= i and {text(end)} <= i and {beyond}"
    return bool(isl.Set(f"[{', '.join(numbers.values())}] -> {{ [i] : {where} }}").is_empty())


# ---- the order ---------------------------------------------------------------------------------------


def _keeps_order(old: Loop, new: tuple[Node, ...], around: Program) -> bool:
    """True if iterations that touch one element keep their order, or every load reads what the same store stored."""
    before, after = ({a.name: a for a in accesses(replace(around, body=nodes))} for nodes in ((old,), new))
    moves = {name: _move(access, after[name]) for name, access in before.items()}
    return _in_order(before, after, moves, around) or _same_values(before, after, moves, around)


def _move(old: Access, new: Access) -> Any:
    """{iteration → the same one without the loops over tiles}."""
    return isl.Map(f"{{ {old.name}[{', '.join(old.ivs)}] -> {new.name}[{', '.join(new.ivs)}] }}")


def _in_order(
    before: Mapping[str, Access], after: Mapping[str, Access], moves: Mapping[str, Any], around: Program
) -> bool:
    """True if of two iterations that touch one element, one of them storing to it, the first one stays the first."""
    pairs = [
        (one, other)
        for one, other in product(before.values(), repeat=2)
        if one.node.array == other.node.array and (isinstance(one.node, Store) or isinstance(other.node, Store))
    ]
    context = context_set(around)
    return len(pairs) <= _PAIRS and not any(
        _turned(one, other, (after[one.name], after[other.name]), (moves[one.name], moves[other.name]), context)
        for one, other in pairs
    )


def _turned(one: Access, other: Access, new: tuple[Access, Access], moves: tuple[Any, Any], context: Any) -> bool:
    """True if an iteration of `one` that comes before one of `other` does not with the new order."""
    meet = one.relation.apply_range(other.relation.reverse()).intersect_params(context)
    pairs = meet.intersect(one.schedule.lex_lt_map(other.schedule))
    if pairs.is_empty():
        return False
    moved = pairs.apply_domain(moves[0]).apply_range(moves[1])
    return not moved.intersect(new[0].schedule.lex_ge_map(new[1].schedule)).is_empty()


def _same_values(
    before: Mapping[str, Access], after: Mapping[str, Access], moves: Mapping[str, Any], around: Program
) -> bool:
    """True if every load reads the value that the same iteration stored, and every element ends with the same."""
    if len(before) ** 2 > _PAIRS or any(
        not moves[n].intersect_domain(a.domain).is_injective() for n, a in before.items()
    ):
        return False
    context = context_set(around)
    move = reduce(isl.UnionMap.union, map(isl.UnionMap.from_map, moves.values()))

    def same(old: Any, new: Any) -> bool:
        return bool(old.intersect_params(context).is_equal(new.intersect_params(context)))

    (loads, stores), (new_loads, new_stores) = (_by_kind(found) for found in (before, after))
    flow, new_flow = value_flow(loads, stores), value_flow(new_loads, new_stores)
    if not all(same(flow[n].apply_domain(move).apply_range(move), new_flow[n]) for n in flow):
        return False
    return all(
        same(
            last_writes([s for s in stores if s.node.array == array]).apply_range(move),
            last_writes([s for s in new_stores if s.node.array == array]),
        )
        for array in sorted({s.node.array for s in stores})
    )


def _by_kind(found: Mapping[str, Access]) -> tuple[list[Access], list[Access]]:
    """The loads, and the stores."""
    loads = [a for a in found.values() if isinstance(a.node, Load)]
    return loads, [a for a in found.values() if isinstance(a.node, Store)]
