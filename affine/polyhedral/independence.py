"""Whether the iterations of parallel loops are independent: none writes what another one reads or writes.

Two accesses of one array, one of them a store, conflict where they meet in one element in different iterations of a
parallel operation and the same iteration of the loops around it (Bernstein 1966). Such a program has no order that
says which value stays, so it is nothing that a sequential loop could be equal to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond
from raising.affine.ir.program import Array, Loop, Node, Program, Store, forms, walk
from raising.affine.polyhedral.scop import Access, accesses, context_set
from raising.support.record import dataclass


@dataclass(frozen=True)
class Conflict:
    """Two accesses of a parallel operation that meet in different iterations."""

    one: Access
    other: Access

    def text(self) -> str:
        """The reason why the operation is not parallel, in words."""
        lines = sorted({a.node.loc.line for a in (self.one, self.other)} - {0})
        where = f" (an element in line{'s' * (len(lines) > 1)} {' and '.join(map(str, lines))})" if lines else ""
        return f"iterations of a parallel loop meet{where}, and their order is open"


def conflicts(program: Program, scopes: Mapping[str, int]) -> Iterator[Conflict]:
    """Each pair of accesses in which iterations of a parallel operation meet; `scopes` are those of `Side`."""
    found = [chain for chain in _chains(program.body, ()) if chain[-1].parallel]
    if not found:
        return
    every, context = accesses(program), context_set(program)
    for chain in found:
        names = tuple(loop.iv for loop in chain)
        first = next(k for k, loop in enumerate(chain) if loop.parallel == chain[-1].parallel)
        shared = [a for a in every if a.ivs[: len(chain)] == names and _is_shared(program, scopes, a, first)]
        for one, other in combinations_with_replacement(shared, 2):
            sizes = _meeting(one, other, first, len(chain))
            if sizes is not None and not sizes.intersect(context).is_empty():
                yield Conflict(one, other)


def first_conflict(nodes: tuple[Node, ...], outside: Mapping[str, Array], known: tuple[Cond, ...]) -> str | None:
    """What is wrong with a parallel operation, given as its loops, where these conditions hold; None if nothing is.

    `outside` are the arrays that were there before it.
    """
    inside = {n.iv for n in walk(nodes) if isinstance(n, Loop)}
    used = {x for n in walk(nodes) for f in forms(n) for x in f.names()} | {x for c in known for x in c.form.names()}
    sizes = tuple(sorted(used - inside))
    # Sizes are any numbers here: those that are the variables of loops around may be zero, or less.
    around = tuple(Loop(n, (), (), 1, (), loop.loc) for n in sizes for loop in nodes[:1] if isinstance(loop, Loop))
    program = Program("parallel", dict(outside), {}, nodes, frozenset(), sizes, known, around)
    found = next(conflicts(program, {}), None)
    return None if found is None else found.text()


def _chains(nodes: tuple[Node, ...], around: tuple[Loop, ...]) -> Iterator[tuple[Loop, ...]]:
    """For each parallel operation, its loops and those around it."""
    for node in nodes:
        if isinstance(node, Loop):
            chain = (*around, node)
            inner = node.body[0] if len(node.body) == 1 else None
            if not (isinstance(inner, Loop) and inner.parallel == node.parallel):
                yield chain
            yield from _chains(node.body, chain)
        elif hasattr(node, "body"):
            yield from _chains(node.body, around)


def _is_shared(program: Program, scopes: Mapping[str, int], access: Access, first: int) -> bool:
    """False for memory that each iteration of the loops from number `first` on has to itself."""
    array = program.arrays.get(access.node.array)
    return array is not None and array.kind != "scalar" and scopes.get(array.name, 0) <= first


def _meeting(one: Access, other: Access, first: int, last: int) -> Any:
    """The sizes at which two accesses meet in different iterations of loops from `first` on; None if there are none."""
    stores = isinstance(one.node, Store), isinstance(other.node, Store)
    if one.node.array != other.node.array or not any(stores):
        return None
    pairs = one.relation.apply_range(other.relation.reverse())
    for k in range(first):
        pairs = pairs.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    same = pairs
    for k in range(first, last):
        same = same.equate(isl.dim_type.in_, k, isl.dim_type.out, k)
    apart = pairs.subtract(same)
    return None if apart.is_empty() else apart.params()
