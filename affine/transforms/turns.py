"""Loops taken apart where conditions inside of them begin or cease to cut other loops.

Of `for k: for i < n: if (0 <= i + k - p < n) y[i + k - p] += x[k][i]`, the iterations of `i` begin at `p - k` up to the
turn `k = p` and at 0 behind it. Between two turns they are a box for each `k`, so that one iteration of `k` is an
operation on slices. Every iteration runs once, in the order that it had.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.program import Guard, Loop, Node, Program, walk
from raising.affine.transforms.strip_mine import copied
from raising.support.record import dataclass

_TURNS = 2  # of one loop
_STORES = 32  # in all copies of the loops


def between_turns(program: Program) -> Program:
    """The program with its loops taken apart at their turns; itself if there are none, or too many."""
    body = _apart(program.body)
    apart = program if body == program.body else replace(program, body=body)
    return apart if sum(1 for _ in apart.stores()) <= _STORES else program


def _apart(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            found += _pieces(replace(node, body=_apart(node.body)))
        else:
            found.append(replace(node, body=_apart(node.body)) if isinstance(node, Guard) else node)
    return tuple(found)


@dataclass(frozen=True)
class _Turn:
    """The first iteration in which a condition cuts no loop any more, or (`before`) the first in which it does."""

    at: Lin
    cond: Cond
    before: bool


def _pieces(loop: Loop) -> list[Loop]:
    """A loop as several, one behind the other."""
    turns = list(dict.fromkeys(_turns(loop))) if loop.step == 1 else []
    pieces = [loop]
    for turn in turns if len({turn.at for turn in turns}) <= _TURNS else ():
        pieces = [part for piece in pieces for part in _cut(piece, turn)]
    return [pieces[0], *(copied(piece, f"_{loop.iv}t{k}") for k, piece in enumerate(pieces[1:], 1))]


def _cut(loop: Loop, turn: _Turn) -> list[Loop]:
    """A loop up to a turn and from it on, as far as they run; the condition goes where it cuts nothing."""
    free = replace(loop, body=_without(loop.body, turn.cond))
    first, second = (free, loop) if turn.before else (loop, free)
    first = replace(first, upper=_least((*loop.upper, turn.at), 1))
    second = replace(second, lower=_least((*loop.lower, turn.at), -1))
    return [piece for piece in (first, second) if not _is_empty(piece)] or [loop]


def _without(nodes: tuple[Node, ...], cond: Cond) -> tuple[Node, ...]:
    """Nodes without a condition."""
    found: list[Node] = []
    for node in nodes:
        if not isinstance(node, Loop | Guard):
            found.append(node)
            continue
        body = _without(node.body, cond)
        conds = tuple(c for c in node.conds if c != cond) if isinstance(node, Guard) else ()
        if isinstance(node, Guard):
            found += [replace(node, conds=conds, body=body)] if conds else body
        else:
            found.append(replace(node, body=body))
    return tuple(found)


def _least(ends: tuple[Lin, ...], sign: int) -> tuple[Lin, ...]:
    """Bounds with one number at most, the least of them; the greatest if the sign is below 0."""
    numbers = [end.const * sign for end in ends if end.is_const]
    forms = dict.fromkeys(end for end in ends if not end.is_const)
    return (*forms, *([Lin(min(numbers) * sign)] if numbers else []))


def _is_empty(loop: Loop) -> bool:
    return any((a - b).is_const and (a - b).const >= 0 for a in loop.lower for b in loop.upper)


def _turns(loop: Loop) -> Iterator[_Turn]:
    """Where conditions no longer cut a loop inside, or begin to."""
    inner = {n.iv: n for n in walk(loop.body) if isinstance(n, Loop)}
    for node in walk(loop.body):
        for cond in node.conds if isinstance(node, Guard) else ():
            turn = _turn(cond, loop, inner)
            if turn is not None:
                yield turn


def _turn(cond: Cond, loop: Loop, inner: dict[str, Loop]) -> _Turn | None:
    """Where `a * i + b * k + r >= 0`, at the end of `i` that it cuts, begins or ceases to hold; `k` is the loop's."""
    factors = dict(cond.form.terms)
    cut = [inner[name] for name in factors if isinstance(name, str) and name in inner]
    slope = factors.get(loop.iv, 0)
    if len(cut) != 1 or not slope or cond.equality or len(cut[0].lower) > 1 or len(cut[0].upper) > 1:
        return None
    end = cut[0].lower[0] if factors[cut[0].iv] > 0 else cut[0].upper[0] - 1
    at_end = cond.form.substitute(lambda name: end if name == cut[0].iv else None)
    rest = at_end.substitute(lambda name: Lin(0) if name == loop.iv else None)
    if dict(at_end.terms).get(loop.iv, 0) != slope or rest.names() & ({loop.iv} | inner.keys()):
        return None
    at = -rest.floordiv(slope) if slope > 0 else rest.floordiv(-slope) + 1
    free = replace(loop, upper=(at,)) if slope < 0 else replace(loop, lower=(at,))
    return None if _is_empty(free) else _Turn(at, cond, slope < 0)
