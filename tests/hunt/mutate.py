"""Changes of a function: edits that mostly change what it computes, and rewrites that mostly do not.

Whether the two really differ is for `pairs` to find out, by running both.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from tests.hunt.drawn.tree import (
    COMPARISONS,
    Bin,
    Cast,
    Decl,
    Elem,
    For,
    Function,
    If,
    Node,
    Num,
    Sel,
    Set,
    Var,
    divides_by_zero,
    is_node,
    is_scoped,
    renamed,
)

ARITHMETIC = ("+", "-", "*")
BITS = ("&", "|", "^")
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
SIGNS = {"i8": "u8", "i16": "u16", "i32": "u32", "i64": "u64", "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64"}


def edited(function: Function, rng: random.Random) -> Function | None:
    """The function with one change at random; None if there is nothing to change."""
    return _one_of(function, _edits, rng)


def rewritten(function: Function, rng: random.Random) -> Function | None:
    """The function with one rewrite that should not change what it computes."""
    return _one_of(function, _rewrites, rng)


def _one_of(function: Function, changes: Callable[[Node], Iterator[Node]], rng: random.Random) -> Function | None:
    found = [replace(function, body=body) for body in _at_one_place(function.body, changes)]
    fine = [f for f in found if is_scoped(f) and not divides_by_zero(f)]
    return rng.choice(fine) if fine else None


def _at_one_place(node: Node, changes: Callable[[Node], Iterator[Node]]) -> Iterator[Node]:
    """Every tree in which one node was changed."""
    if isinstance(node, tuple):
        yield from changes(node)
        for k, one in enumerate(node):
            yield from (node[:k] + (other,) + node[k + 1 :] for other in _at_one_place(one, changes))
    elif is_node(node):
        yield from changes(node)
        for f in fields(node):
            value = getattr(node, f.name)
            if is_node(value):
                yield from (replace(node, **{f.name: other}) for other in _at_one_place(value, changes))


# ---- edits ---------------------------------------------------------------------------------------


def _edits(node: Node) -> Iterator[Node]:
    match node:
        case tuple():
            yield from _orders(node)
        case For():
            yield from _loops(node)
        case If():
            yield replace(node, then=node.other or (), other=node.then)
        case Set() if node.op != "=":
            yield from (replace(node, op=op) for op in ("+", "-", "*", "=") if op != node.op)
        case Decl() if node.type in SIGNS:
            yield replace(node, type=SIGNS[node.type])
        case _:
            yield from _values(node)


def _values(node: Node) -> Iterator[Node]:
    """An expression with another operator, constant, order, subscript or type."""
    match node:
        case Num():
            yield replace(node, value=node.value + 1)
            yield replace(node, value=node.value - 1)
        case Bin():
            group = next((g for g in (ARITHMETIC, BITS, COMPARISONS, ("<<", ">>")) if node.op in g), ())
            yield from (replace(node, op=op) for op in group if op != node.op)
            yield replace(node, a=node.b, b=node.a)
        case Elem():
            for k, sub in enumerate(node.subs):
                yield replace(node, subs=node.subs[:k] + (Bin("+", sub, Num(1)),) + node.subs[k + 1 :])
            if len(node.subs) == 2:
                yield replace(node, subs=node.subs[::-1])
        case Sel():
            yield replace(node, a=node.b, b=node.a)
        case Cast() if node.type in SIGNS:
            yield replace(node, type=SIGNS[node.type])


def _loops(node: For) -> Iterator[Node]:
    yield replace(node, low=Bin("+", node.low, Num(1)))
    yield replace(node, high=Bin("-", node.high, Num(1)))
    yield replace(node, high=Bin("+", node.high, Num(1)))
    if node.cmp in SWAPPED:
        yield replace(node, cmp={"<": "<=", "<=": "<", ">": ">=", ">=": ">"}.get(node.cmp, node.cmp))
    yield replace(node, step=node.step * 2)


def _orders(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Statements in another order, or one less."""
    if not all(isinstance(n, For | If | Set | Decl) for n in nodes):
        return
    for k in range(len(nodes) - 1):
        if not isinstance(nodes[k], Decl):
            yield nodes[:k] + (nodes[k + 1], nodes[k]) + nodes[k + 2 :]
    if len(nodes) > 1:
        yield from (nodes[:k] + nodes[k + 1 :] for k, n in enumerate(nodes) if not isinstance(n, Decl))


# ---- rewrites ------------------------------------------------------------------------------------


def _rewrites(node: Node) -> Iterator[Node]:
    match node:
        case tuple():
            yield from _fused(node)
        case Bin() if node.op in ("+", "*", "&", "|", "^"):
            yield replace(node, a=node.b, b=node.a)
            if isinstance(node.b, Bin) and node.b.op == node.op:
                yield Bin(node.op, Bin(node.op, node.a, node.b.a), node.b.b)
        case Bin() if node.op in SWAPPED:
            yield Bin(SWAPPED[node.op], node.b, node.a)
        case Bin() if node.op == "-":
            yield Bin("+", node.a, Bin("*", Num(-1), node.b))
        case For() if abs(node.step) == 1:
            yield from _loop_forms(node)


def _fused(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Two loops with the same head as one, or one as two."""
    for k, one in enumerate(nodes):
        if isinstance(one, For) and len(one.body) > 1 and not any(isinstance(s, Decl) for s in one.body):
            halves = tuple(replace(one, body=part) for part in (one.body[:1], one.body[1:]))
            yield nodes[:k] + halves + nodes[k + 1 :]
    for k, (a, b) in enumerate(zip(nodes, nodes[1:], strict=False)):
        if (
            isinstance(a, For)
            and isinstance(b, For)
            and (a.low, a.cmp, a.high, a.step) == (b.low, b.cmp, b.high, b.step)
        ):
            body = a.body + renamed(b.body, {b.var: Var(a.var)})
            yield nodes[:k] + (replace(a, body=body),) + nodes[k + 2 :]


def _loop_forms(node: For) -> Iterator[Node]:
    """Backwards, with another start, the last or first iteration apart, in strips."""
    var = Var(node.var)
    if node.step == 1 and node.cmp == "<":
        yield replace(node, low=Bin("-", node.high, Num(1)), cmp=">=", high=node.low, step=-1)
        shifted = renamed(node.body, {node.var: Bin("-", var, Num(3))})
        yield replace(node, low=Bin("+", node.low, Num(3)), high=Bin("+", node.high, Num(3)), body=shifted)
        outer = f"{node.var}t"
        inside = If(Bin("<", var, node.high), node.body)
        strip = replace(node, low=Var(outer), high=Bin("+", Var(outer), Num(4)), body=(inside,))
        yield replace(node, var=outer, step=4, body=(strip,))
        yield replace(node, cmp="<=", high=Bin("-", node.high, Num(1)))
    elif node.cmp == ">=":
        yield replace(node, low=node.high, cmp="<=", high=node.low, step=1)
