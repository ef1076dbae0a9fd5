"""`switch` as arms; a case inside of another statement is refused."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.read.reader_state import STATEMENTS, Context
from raising.frontend.core import build
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import ends
from raising.frontend.core.types import Int

MAX_VALUES = 1024  # of a range of GNU C
_LABELS = (kinds.CASE, kinds.DEFAULT)


def _switch(ctx: Context, node: Node) -> None:
    if len(node.children) != 2:
        raise ctx.refused(node, "a switch that declares a variable")
    test, body = node.children
    value = ctx.value(test)
    t = value.type
    if not isinstance(t, Int):
        raise ctx.refused(node, "a switch on what is no integer")
    items = body.children if body.kind == kinds.COMPOUND else [body]
    first = next((k for k, item in enumerate(items) if item.kind in _LABELS), len(items))
    for item in items[:first]:
        if item.kind == kinds.DECL_STMT:
            ctx.statement(item)
    arms: list[st.Arm] = []
    rest = items[first:]
    while rest:
        end = next((k for k, item in enumerate(rest) if k and item.kind in _LABELS), len(rest))
        arm = _arm(ctx, t, rest[0], rest[1:end])
        arms.append(replace(arm, falls=arm.falls and end < len(rest)))
        rest = rest[end:]
    ctx.add(st.Switch(value, tuple(arms), node.loc))


def _arm(ctx: Context, t: Int, node: Node, others: list[Node]) -> st.Arm:
    """The cases of an arm, and its statements without the `break` at the end."""
    values: list[int] = []
    default, current = False, node
    while current.kind in _LABELS:
        if current.kind == kinds.CASE:
            values += _values(ctx, t, current)
        else:
            default = True
        if not current.children:
            break
        current = current.children[-1]
    with ctx.block() as body:
        for item in (current, *others):
            ctx.statement(item)
    falls = not ends(tuple(body))
    if body and isinstance(body[-1], st.Break):
        body.pop()
    return st.Arm(tuple(values), default, tuple(body), falls, node.loc)


def _values(ctx: Context, t: Int, node: Node) -> list[int]:
    bounds = [child.evaluated() for child in node.children[:-1]]
    if not bounds or not all(isinstance(b, int) for b in bounds):
        raise ctx.refused(node, "a case whose value is not known")
    low, high = int(bounds[0] or 0), int(bounds[-1] or 0)
    if high - low > MAX_VALUES:
        raise ctx.refused(node, f"a case of more than {MAX_VALUES} values")
    return [build.wrapped(v, t) for v in range(low, high + 1)]


STATEMENTS[kinds.SWITCH] = _switch
