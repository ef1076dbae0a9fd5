"""Smaller functions that show the same: a tree is cut node by node as long as what it shows stays (delta debugging).

Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002, on trees instead of lists of lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import TypeVar

from tests.hunt.drawn.tree import (
    Bin,
    Cast,
    Decl,
    Elem,
    Fn,
    For,
    Function,
    If,
    Node,
    Num,
    Sel,
    Set,
    Un,
    Var,
    is_node,
    is_scoped,
    names,
    renamed,
    walk,
)

TOGETHER = 10  # candidates that are compiled at once


Shown = TypeVar("Shown")


def minimised(
    function: Function,
    finding: Shown,
    shows: Callable[[Sequence[Function]], tuple[Function, Shown] | None],
    seconds: float,
) -> tuple[Function, Shown]:
    """Take the first smaller candidate that still shows it, until none does or the time is over."""
    end = time.monotonic() + seconds
    left = list(candidates(function))
    while left and time.monotonic() < end:
        found = shows(left[:TOGETHER])
        if found is not None:
            function, finding = found
            left = list(candidates(function))
        else:
            left = left[TOGETHER:]
    return function, finding


def size(node: Node) -> int:
    """How much there is of a tree."""
    return sum(1 for _ in walk(node))


def candidates(function: Function) -> Iterator[Function]:
    """Smaller functions, those that lose most first."""
    found = {_trimmed(replace(function, body=body)) for body in _shorter(function.body)}
    yield from sorted((f for f in found if f.body and is_scoped(f)), key=size)


def _trimmed(function: Function) -> Function:
    """Without parameters that nothing mentions."""
    used = names(function.body) | names(function.params)
    kept = tuple(p for p in function.params if p.name in used)
    return replace(function, params=kept, globals=tuple(g for g in function.globals if g.what.name in used))


def _shorter(node: Node) -> Iterator[Node]:
    """Trees with one node less, or one made simpler."""
    if isinstance(node, tuple):
        for k, one in enumerate(node):
            if isinstance(one, For | If | Set | Decl):
                yield node[:k] + node[k + 1 :]
            yield from (node[:k] + replacement + node[k + 1 :] for replacement in _unwrapped(one))
            yield from (node[:k] + (other,) + node[k + 1 :] for other in _shorter(one))
        return
    if not is_node(node):
        return
    yield from _simpler(node)
    for f in fields(node):
        value = getattr(node, f.name)
        if is_node(value):
            others = (other for other in _shorter(value) if f.name != "target" or isinstance(other, Elem | Var))
            yield from (replace(node, **{f.name: other}) for other in others)


def _unwrapped(node: Node) -> Iterator[tuple[Node, ...]]:
    """What may stand in place of a statement."""
    if isinstance(node, For):
        yield renamed(node.body, {node.var: node.low})
    elif isinstance(node, If):
        yield node.then
        if node.other:
            yield node.other
    elif isinstance(node, Decl) and not node.dims:
        return


def _simpler(node: Node) -> Iterator[Node]:
    """What may stand in place of an expression, or a statement of its own kind."""
    match node:
        case Bin():
            yield node.a
            yield node.b
        case Sel():
            yield node.a
            yield node.b
        case Un() | Cast():
            yield node.a
        case Fn():
            yield node.args[0]
        case Elem() | Var():
            yield Num(1)
            yield Num(0)
        case For() if node.style != "for":
            yield replace(node, style="for")
        case Set() if node.op != "=":
            yield replace(node, op="=")
