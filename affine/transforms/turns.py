"""Loops taken apart where conditions inside of them begin or cease to cut other loops.

Of `for k: for i < n: if (0 <= i + k - p < n) y[i + k - p] += x[k][i]`, the iterations of `i` begin at `p - k` up to the
turn `k = p` and at 0 behind it. Between two turns they are a box for each `k`, so that one iteration of `k` is an
operation on slices. Every iteration runs once, in the order that it had.

A condition on a loop's own variable (`if (i >= w) s -= x[i - w]`) has a turn as well: in front of it nothing is left of
what it guards, so that nothing reads `x[i - w]` there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.program import Guard, Loop, Node, Program, walk
from raising.affine.ir.rewriting import rewritten, with_loops
from raising.affine.transforms.strip_mine import copied
from raising.support.record import dataclass

_TURNS = 2  # of one loop
_STORES = 32  # in all copies of the loops


def between_turns(program: Program, own: bool = False) -> Program:
    """The program with its loops taken apart at their turns; itself if there are none, or too many.

    These are the turns of conditions that cut loops inside, or those of conditions on a loop's `own` variable.
    """
    body = with_loops(program.body, lambda loop: _pieces(loop, own))
    apart = program if body == program.body else replace(program, body=body)
    return apart if sum(1 for _ in apart.stores()) <= _STORES else program


@dataclass(frozen=True)
class _Turn:
    """The first iteration in which a condition cuts nothing any more, or (`before`) the first in which it does.

    If it is `whole`, there is nothing that it guards on the other side.
    """

    at: Lin
    cond: Cond
    before: bool
    whole: bool


def _pieces(loop: Loop, own: bool) -> tuple[Loop, ...]:
    """A loop as several, one behind the other."""
    turns = list(dict.fromkeys(_turns(loop, own))) if loop.step == 1 else []
    pieces = [loop]
    for turn in turns if len({turn.at for turn in turns}) <= _TURNS else ():
        pieces = [part for piece in pieces for part in _cut(piece, turn)]
    return (pieces[0], *(copied(piece, f"_{loop.iv}t{k}") for k, piece in enumerate(pieces[1:], 1)))


def _cut(loop: Loop, turn: _Turn) -> list[Loop]:
    """A loop up to a turn and from it on, as far as they run; the condition goes where it cuts nothing."""
    free = replace(loop, body=_without(loop.body, turn.cond, False))
    other = replace(loop, body=_without(loop.body, turn.cond, True)) if turn.whole else loop
    first, second = (free, other) if turn.before else (other, free)
    first = replace(first, upper=_least((*loop.upper, turn.at), 1))
    second = replace(second, lower=_least((*loop.lower, turn.at), -1))
    return [piece for piece in (first, second) if not _is_empty(piece)] or [loop]


def _without(nodes: tuple[Node, ...], cond: Cond, never: bool) -> tuple[Node, ...]:
    """Nodes without a condition, which always holds, or `never`."""

    def change(node: Node) -> tuple[Node, ...]:
        if not isinstance(node, Guard) or cond not in node.conds:
            return (node,)
        conds = tuple(c for c in node.conds if c != cond)
        body = () if never else node.body
        return (replace(node, conds=conds),) if conds and body else body

    return rewritten(nodes, change)


def _least(ends: tuple[Lin, ...], sign: int) -> tuple[Lin, ...]:
    """Bounds with one number at most, the least of them; the greatest if the sign is below 0."""
    numbers = [end.const * sign for end in ends if end.is_const]
    forms = dict.fromkeys(end for end in ends if not end.is_const)
    return (*forms, *([Lin(min(numbers) * sign)] if numbers else []))


def _is_empty(loop: Loop) -> bool:
    return any((a - b).is_const and (a - b).const >= 0 for a in loop.lower for b in loop.upper)


def _turns(loop: Loop, own: bool) -> Iterator[_Turn]:
    """Where conditions begin or cease to cut a loop inside; or where those on the loop's `own` variable do."""
    inner = {n.iv: n for n in walk(loop.body) if isinstance(n, Loop)}
    for node in walk(loop.body):
        for cond in node.conds if isinstance(node, Guard) else ():
            turn = _turn(cond, loop, inner, own)
            if turn is not None:
                yield turn


def _turn(cond: Cond, loop: Loop, inner: dict[str, Loop], own: bool) -> _Turn | None:
    """Where `a * i + b * k + r >= 0`, at the end of `i` that it cuts, begins or ceases to hold; `k` is the loop's."""
    factors = dict(cond.form.terms)
    cut = [inner[name] for name in factors if isinstance(name, str) and name in inner]
    slope = factors.get(loop.iv, 0)
    if len(cut) != (0 if own else 1) or not slope or cond.equality:
        return None
    at_end = cond.form if own else _at_end(cond.form, factors[cut[0].iv], cut[0])
    rest = at_end.substitute(lambda name: Lin(0) if name == loop.iv else None) if at_end is not None else None
    if at_end is None or rest is None or dict(at_end.terms).get(loop.iv, 0) != slope:
        return None
    if rest.names() & ({loop.iv} | inner.keys()):
        return None
    at = -rest.floordiv(slope) if slope > 0 else rest.floordiv(-slope) + 1
    free = replace(loop, upper=(at,)) if slope < 0 else replace(loop, lower=(at,))
    return None if _is_empty(free) else _Turn(at, cond, slope < 0, own)


def _at_end(form: Lin, factor: int, cut: Loop) -> Lin | None:
    """A form at the end of a loop at which it is least; None if that is not one form."""
    if len(cut.lower) > 1 or len(cut.upper) > 1 or cut.step > 1:
        return None
    end = cut.lower[0] if factor > 0 else cut.upper[0] - 1
    return form.substitute(lambda name: end if name == cut.iv else None)
