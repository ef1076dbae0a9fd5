"""The cases of two programs: where only one of them branches on sizes, what both do on each side of its branches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from raising.affine.ir.affine_expr import Cond
from raising.affine.ir.program import Guard, Loop, Node, Program, walk
from raising.affine.polyhedral.scop import conjunctions, context_set, cut, sizes_where
from raising.support.record import dataclass
from raising.validate.reading.pair import Pair
from raising.validate.reading.same_text import same_text

_MOST = 12  # cases

Conds = tuple[Cond, ...]


@dataclass(frozen=True)
class Case:
    """A pair of programs at some sizes (an isl parameter set), without the branches that are settled there."""

    pair: Pair
    sizes: Any

    @cached_property
    def same(self) -> bool:
        """Whether both programs are the same there but for names."""
        return same_text(self.pair)


def cases(pair: Pair, context: Any) -> list[Case]:
    """The cases that the branches on sizes of one side make of the sizes in `context` (an isl parameter set).

    The pair is one case as it is if there are no such branches, or too many.
    """
    pieces = [known := context_set(pair.source)]
    for conds in _branches(pair):
        pieces = cut(pieces, sizes_where(pair.source, conds))
    if len(pieces) == 1:
        return [Case(pair, context)]
    found = [conds for one in pieces for conds in conjunctions(one.gist(known).coalesce(), ())]
    if len(found) > _MOST:
        return [Case(pair, context)]
    return [_case(pair, context, conds) for conds in found]


def _branches(pair: Pair) -> list[Conds]:
    """The conditions on sizes that only one side asks for."""
    one, other = (dict.fromkeys(_asked(p)) for p in (pair.source, pair.target))
    return [c for c in one if c not in other] + [c for c in other if c not in one]


def _asked(program: Program) -> Iterator[Conds]:
    for node in walk(program.body):
        if isinstance(node, Guard) and (conds := tuple(_of_sizes(node.conds, program))):
            yield conds


def _of_sizes(conds: Iterable[Cond], program: Program) -> Iterator[Cond]:
    return (c for c in conds if c.form.names() <= set(program.sizes))


def _case(pair: Pair, context: Any, conds: Conds) -> Case:
    sizes = context.intersect(sizes_where(pair.source, conds)) if conds else context
    source, target = (
        replace(p, context=(*p.context, *conds), body=_settled(p.body, p, sizes)) for p in (pair.source, pair.target)
    )
    return Case(replace(pair, source=source, target=target), sizes)


def _settled(nodes: tuple[Node, ...], program: Program, sizes: Any) -> tuple[Node, ...]:
    """Nodes without the conditions that hold at all of some sizes, and without what runs at none of them."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            found.append(replace(node, body=_settled(node.body, program, sizes)))
        elif not isinstance(node, Guard):
            found.append(node)
        else:
            asked = tuple(_of_sizes(node.conds, program))
            if asked and sizes.intersect(sizes_where(program, asked)).is_empty():
                continue
            open_ = tuple(c for c in node.conds if c not in asked or not sizes.is_subset(sizes_where(program, [c])))
            body = _settled(node.body, program, sizes)
            found += [replace(node, conds=open_, body=body)] if open_ else body
    return tuple(found)
