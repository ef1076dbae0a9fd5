"""Memory that is accessed whenever a block runs: by itself, on both sides of a branch, or by a loop beside it.

A loop that runs over the same numbers as another one touches the same elements, so what `for (i = 0; i < n; i++)` reads
at `a[i]` is there for every later `a[i]` under the same bounds. What lies between two elements of an array is there as
well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.polynomial import Poly, const, var
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
            found.add(_at(one, var(node.iv)))
    return frozenset(found)


def _at(one: Touched, place: Poly) -> Touched:
    """What an iteration of the outermost loop accesses."""
    (iv, *_), *rest = one.loops
    values = {iv: place}

    def renamed(forms: tuple[Poly, ...]) -> tuple[Poly, ...]:
        return tuple(form.substitute(values) for form in forms)

    loops = tuple((name, renamed(low), renamed(high), step) for name, low, high, step in rest)
    return Touched(one.array, renamed(one.subscripts), loops)


def between(read: tp.Read, touched: frozenset[Touched], facts: Facts) -> bool:
    """Whether an element lies at or between two others of its array, of which the last one is accessed in any case.

    The first may be where the array begins: whoever counts from there to an element counts within one object (C11,
    6.5.6).
    """
    ends = [place for one in touched if one.array == read.array for place in _ends(one, facts)]

    def at(places: list[tuple[Poly, ...]], side: Callable[[Poly, Poly], Poly]) -> bool:
        return any(all(map(facts.proves, map(side, read.subscripts, place))) for place in places)

    begin = tuple(const(0) for _ in read.subscripts)
    return at(ends, lambda own, end: end - own) and at([*ends, begin], lambda own, end: own - end)


def _ends(one: Touched, facts: Facts) -> Iterator[tuple[Poly, ...]]:
    """Subscripts of elements that are accessed: under loops that certainly run, in the first and last iterations."""
    if not one.loops:
        yield one.subscripts
        return
    _, lower, upper, step = one.loops[0]
    if len(lower) == len(upper) == 1 and facts.proves(upper[0] - 1 - lower[0]):
        for place in (lower[0], upper[0] - 1) if step == 1 else lower:
            yield from _ends(_at(one, place), facts)
