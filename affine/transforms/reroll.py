"""Unrolled loops are rolled up again, and joined with the loop that does what remains.

A loop of step 4 whose body says the same four times, for i, i + 1, i + 2 and i + 3 in turn, is a loop of step 1 over
one of them. Two loops that follow each other do the same in one range if their bodies are the same and the second one
begins where the first one ends. Every iteration stays where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten, with_all_forms, with_forms, with_names, with_operands
from raising.affine.ir.value_names import defined
from raising.affine.polyhedral.scop import context_set, within, within_outer
from raising.support.record import dataclass
from raising.support.source import Loc

_NOWHERE = Loc("-")


def rerolled(program: Program, known: Any = None) -> Program:
    """The program with its unrolled loops rolled up, at the sizes `known` (an isl parameter set).

    Without them, loops are joined at those sizes at which their bodies stay inside of the arrays.
    """
    if not any(isinstance(n, Loop) and n.step > 1 for n in walk(program.body)):
        return program
    body = _one_name_each(program.body, program)
    return replace(program, body=_Roller(frozenset(program.sizes), known).nodes(body, within_outer(program)))


def _one_name_each(nodes: tuple[Node, ...], program: Program) -> tuple[Node, ...]:
    """Nodes in which each constant has one name: every copy of a body has constants of its own."""
    first: dict[tuple[str, str], str] = {}
    own = {s.name: first.setdefault((s.element, s.literal), s.name) for s in program.scalars.values() if s.literal}

    def change(node: Node) -> tuple[Node, ...]:
        return (with_operands(node, lambda name: own.get(name, name)),)

    return rewritten(nodes, change)


@dataclass(frozen=True)
class _Roller:
    """Rolls loops up at sizes that are `known`, if they are given."""

    sizes: frozenset[str]
    known: Any

    def nodes(self, nodes: tuple[Node, ...], around: Program) -> tuple[Node, ...]:
        """Nodes with unrolled loops rolled up, and joined with those that follow them."""
        found: list[Node] = []
        waiting: Loop | None = None  # the last one of `found`, as it is without being unrolled
        for node in nodes:
            if not isinstance(node, Loop):
                waiting = None
                found.append(replace(node, body=self.nodes(node.body, around)) if isinstance(node, Guard) else node)
                continue
            node = replace(node, body=self.nodes(node.body, within(node, around)))
            joined = self.joined(waiting, node, around) if waiting is not None else None
            if joined is not None:
                found[-1] = waiting = joined
                continue
            waiting = _rolled(node)
            found.append(waiting if waiting is not None and _ends_at_sizes(waiting, self.sizes) else node)
        return tuple(found)

    def joined(self, one: Loop, other: Loop, around: Program) -> Loop | None:
        """One loop for two that follow each other; None if they do not do the same, or if a gap is between them."""
        if one.step != 1 or other.step != 1 or one.parallel or other.parallel:
            return None
        if _alike(one.body, {one.iv: var("_")}) != _alike(other.body, {other.iv: var("_")}):
            return None
        whole = replace(one, upper=other.upper)
        first, second, both = (self.range(loop, around) for loop in (one, other, whole))
        follows = first.apply(isl.Map("{ [i] -> [j] : j <= i }")).is_disjoint(second)
        return whole if follows and first.union(second).is_equal(both) else None

    def range(self, loop: Loop, around: Program) -> Any:
        """The values of a loop's variable."""
        conds = [f"{f.isl()} <= _at" for f in loop.lower] + [f"_at < {f.isl()}" for f in loop.upper]
        if self.known is None:
            conds += _inside(loop, around)
        found = isl.Set(f"[{', '.join(around.sizes)}] -> {{ [_at] : {' and '.join(conds)} }}")
        found = found.intersect_params(context_set(around))
        return found if self.known is None else found.intersect_params(self.known)


def _inside(loop: Loop, around: Program) -> list[str]:
    """The conditions under which what every iteration touches is inside of its array."""
    found: list[str] = []
    for node in loop.body:
        if isinstance(node, Load | Store):
            places = [f.substitute({loop.iv: var("_at")}.get) for f in node.subscripts]
            shape = around.arrays[node.array].shape
            found += [f"0 <= {f.isl()} < {extent.isl()}" for f, extent in zip(places, shape, strict=True)]
    return found


def _ends_at_sizes(loop: Loop, sizes: frozenset[str]) -> bool:
    """Whether quotients in a loop's bounds are of sizes."""
    return all(quotient.inner.names() <= sizes for f in loop.upper for quotient in f.quotients())


def _rolled(loop: Loop) -> Loop | None:
    """The loop of step 1 that does the same; None if a loop is not unrolled by its step."""
    if loop.step == 1 or len(loop.lower) != 1 or loop.parallel:
        return None
    first = _first_copy(loop)
    copies, at = _Copies(), len(first)
    copies.remember(first)
    for k in range(1, loop.step):
        end = copies.follow(first, loop.body[at:], {loop.iv: var(loop.iv) + k})
        if end is None:
            return None
        at += end
    if not first or at < len(loop.body):
        return None
    low = loop.lower[0]
    ends = (low + (f - low + (loop.step - 1)).floordiv(loop.step).scaled(loop.step) for f in loop.upper)
    return replace(loop, upper=tuple(dict.fromkeys(ends)), step=1, body=first)


def _first_copy(loop: Loop) -> tuple[Node, ...]:
    """The first nodes of a body that have one copy's share of its stores; empty if there are no equal shares."""
    stores = [sum(isinstance(n, Store) for n in walk((node,))) for node in loop.body]
    share, rest = divmod(sum(stores), loop.step)
    ends = [k for k in range(1, len(stores) + 1) if stores[k - 1] and sum(stores[:k]) == share]
    return loop.body[: ends[0]] if ends and not rest else ()


class _Copies:
    """The copies of a body, one after the other: what was stored or loaded before needs no load again."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, tuple[Lin, ...]], str] = {}
        self.values: dict[str, str] = {}

    def remember(self, nodes: tuple[Node, ...]) -> None:
        """Record the values that memory holds after these nodes."""
        for node in nodes:
            if isinstance(node, Loop | Guard):
                self.known.clear()
            elif isinstance(node, Store):
                self.known = {place: v for place, v in self.known.items() if place[0] != node.array}
                self.known[node.array, node.subscripts] = node.value
            elif isinstance(node, Load):
                self.known[node.array, node.subscripts] = node.dst

    def follow(self, first: tuple[Node, ...], nodes: tuple[Node, ...], put: Mapping[str, Lin]) -> int | None:
        """How many of `nodes` say what the first copy says, with other values of its variable; None if they do not."""
        self.values, at = {}, 0
        for plain in first:
            wanted = with_forms(plain, lambda form: form.substitute(put.get))
            if at < len(nodes) and self._same(plain, wanted, nodes[at], put):
                self.remember((nodes[at],))
                at += 1
            elif isinstance(wanted, Load) and (wanted.array, wanted.subscripts) in self.known:
                self.values[wanted.dst] = self.known[wanted.array, wanted.subscripts]
            else:
                return None
        return at

    def _same(self, plain: Node, wanted: Node, node: Node, put: Mapping[str, Lin]) -> bool:
        """True if a node is the one wanted; what it defines stands for what the first copy defines."""
        if isinstance(plain, Loop | Guard):
            return _alike((plain,), put) == _alike((node,), {})
        match wanted, node:
            case Store(), Store(label=label):
                wanted = replace(wanted, label=label, value=self.values.get(wanted.value, wanted.value))
            case Compute(), Compute(dst=dst):
                args = tuple(self.values.get(a, a) for a in wanted.args)
                self.values[wanted.dst] = dst
                wanted = replace(wanted, dst=dst, args=args)
            case Load() | IndexValue(), Load(dst=dst) | IndexValue(dst=dst):
                self.values[wanted.dst] = dst
                wanted = replace(wanted, dst=dst)
        return replace(wanted, loc=_NOWHERE) == replace(node, loc=_NOWHERE)


def _alike(nodes: tuple[Node, ...], put: Mapping[str, Lin]) -> tuple[Node, ...]:
    """Nodes with numbers in place of the names that they define and of their places, so that equal ones are equal."""
    own = {name: f"_{k}" for k, name in enumerate(n for node in walk(nodes) for n in defined(node))}
    known = {**put, **{old: var(new) for old, new in own.items()}}

    def change(node: Node) -> tuple[Node, ...]:
        return (replace(with_names(node, lambda name: own.get(name, name)), loc=_NOWHERE),)

    return rewritten(with_all_forms(nodes, lambda form: form.substitute(known.get)), change)
