"""Memory that is accessed whenever a block runs: by itself, on both sides of a branch, or by a loop beside it.

A loop that runs over the same numbers as another one touches the same elements, so what `for (i = 0; i < n; i++)` reads
at `a[i]` is there for every later `a[i]` under the same bounds.
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.polynomial import Poly, var
from raising.support.record import dataclass


@dataclass(frozen=True)
class Touched:
    """An element of an array; under `loops`, outermost first, all elements that they run over."""

    array: str
    subscripts: tuple[Poly, ...]
    loops: tuple[tuple[str, tuple[Poly, ...], tuple[Poly, ...], int], ...] = ()


def certain(nodes: tuple[tp.Node, ...]) -> frozenset[Touched]:
    """The memory that is accessed whenever a block runs."""
    found: set[Touched] = set()
    for node in nodes:
        if isinstance(node, tp.Read | tp.Write):
            found.add(Touched(node.array, node.subscripts))
        elif isinstance(node, tp.Choose | tp.If):
            found |= certain(node.then) & certain(node.orelse)
        elif isinstance(node, tp.For):
            around = (node.iv, node.lower, node.upper, node.step)
            found |= {replace(one, loops=(around, *one.loops)) for one in certain(node.body)}
    return frozenset(found)


def within(node: tp.Node, touched: frozenset[Touched]) -> frozenset[Touched]:
    """The memory that is accessed whenever the body of a node runs, given that of the block around it."""
    if not isinstance(node, tp.For):
        return touched
    found = set(touched)
    for one in touched:
        if one.loops and one.loops[0][1:] == (node.lower, node.upper, node.step):
            found.add(_entered(one, node.iv))
    return frozenset(found)


def _entered(one: Touched, iv: str) -> Touched:
    (old, *_), *rest = one.loops
    values = {old: var(iv)}

    def renamed(forms: tuple[Poly, ...]) -> tuple[Poly, ...]:
        return tuple(form.substitute(values) for form in forms)

    loops = tuple((name, renamed(low), renamed(high), step) for name, low, high, step in rest)
    return Touched(one.array, renamed(one.subscripts), loops)
