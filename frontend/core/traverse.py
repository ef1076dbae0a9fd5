"""Children of nodes, and nodes with other children."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st

N = TypeVar("N", bound=ex.Expr | ex.Lvalue | ex.Initial)
Change = Callable[[Any], Any]

_EXPRESSION_FIELDS: dict[type, tuple[str, ...]] = {
    ex.Load: ("source",),
    ex.AddressOf: ("target",),
    ex.Decay: ("array",),
    ex.Offset: ("pointer", "index"),
    ex.Distance: ("left", "right"),
    ex.Unary: ("operand",),
    ex.Binary: ("left", "right"),
    ex.Compare: ("left", "right"),
    ex.Not: ("operand",),
    ex.Logical: ("left", "right"),
    ex.Select: ("condition", "then", "otherwise"),
    ex.Convert: ("operand",),
    ex.MakeComplex: ("real", "imaginary"),
    ex.Part: ("operand",),
    ex.Deref: ("pointer",),
    ex.Member: ("base",),
    ex.Half: ("base",),
}
"""By class: the fields that hold one expression or lvalue, in the order of evaluation."""


def operands(node: ex.Expr | ex.Lvalue | ex.Initial) -> tuple[ex.Expr | ex.Lvalue | ex.Initial, ...]:
    """The expressions and lvalues directly inside of one."""
    if isinstance(node, ex.Intrinsic):
        return node.arguments
    if isinstance(node, ex.Aggregate):
        return tuple(item for _, item in node.items)
    return tuple(getattr(node, name) for name in _EXPRESSION_FIELDS.get(type(node), ()))


def inside(node: ex.Expr | ex.Lvalue | ex.Initial) -> Iterator[ex.Expr | ex.Lvalue | ex.Initial]:
    """An expression and all that is in it, parents first, in order. Extents of types are not entered."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        pending += reversed(operands(part))


def with_operands(node: N, change: Change) -> N:
    """The node with `change` done to each operand; the same object if nothing changed."""
    if isinstance(node, ex.Intrinsic):
        arguments = tuple(change(a) for a in node.arguments)
        return node if arguments == node.arguments else replace(node, arguments=arguments)
    if isinstance(node, ex.Aggregate):
        items = tuple((k, change(item)) for k, item in node.items)
        return node if items == node.items else replace(node, items=items)
    names = _EXPRESSION_FIELDS.get(type(node), ())
    changed: dict[str, Any] = {name: new for name in names if (new := change(old := getattr(node, name))) is not old}
    return replace(node, **changed) if changed else node


def bodies(stmt: st.Stmt) -> tuple[tuple[st.Stmt, ...], ...]:
    """The sequences of statements directly inside of one, in the order of the text."""
    if isinstance(stmt, st.If):
        return stmt.then, stmt.otherwise
    if isinstance(stmt, st.Loop):
        return stmt.test, stmt.body, stmt.step
    if isinstance(stmt, st.Switch):
        return tuple(arm.body for arm in stmt.arms)
    return (stmt.body,) if isinstance(stmt, st.Region) else ()


def with_bodies(stmt: st.Stmt, new: tuple[tuple[st.Stmt, ...], ...]) -> st.Stmt:
    """The statement with other sequences in it."""
    if isinstance(stmt, st.If):
        return replace(stmt, then=new[0], otherwise=new[1])
    if isinstance(stmt, st.Loop):
        return replace(stmt, test=new[0], body=new[1], step=new[2])
    if isinstance(stmt, st.Switch):
        return replace(stmt, arms=tuple(_with_body(arm, body) for arm, body in zip(stmt.arms, new, strict=True)))
    return replace(stmt, body=new[0]) if isinstance(stmt, st.Region) else stmt


def _with_body(arm: st.Arm, body: tuple[st.Stmt, ...]) -> st.Arm:
    return replace(arm, body=body)


def statements(body: tuple[st.Stmt, ...]) -> Iterator[st.Stmt]:
    """Every statement, parents first, in the order of the text."""
    pending = [*reversed(body)]
    while pending:
        stmt = pending.pop()
        yield stmt
        for part in reversed(bodies(stmt)):
            pending += reversed(part)


def own_expressions(stmt: st.Stmt) -> tuple[ex.Expr | ex.Lvalue | ex.Initial, ...]:
    """The expressions and lvalues of a statement itself, without those of the statements in it."""
    if isinstance(stmt, st.Declare):
        return () if stmt.initial is None else (stmt.initial,)
    if isinstance(stmt, st.Assign):
        return stmt.target, stmt.value
    if isinstance(stmt, st.Call):
        return stmt.arguments if isinstance(stmt.callee, str) else (stmt.callee, *stmt.arguments)
    if isinstance(stmt, st.If | st.Loop | st.Assume):
        return (stmt.condition,)
    if isinstance(stmt, st.Switch):
        return (stmt.value,)
    return (stmt.value,) if isinstance(stmt, st.Return) and stmt.value is not None else ()


_STATEMENT_FIELDS = ("target", "value", "condition", "initial", "callee")


def with_expressions(stmt: st.Stmt, change: Change) -> st.Stmt:
    """The statement with its outermost expressions and lvalues that `change` makes others of replaced by these.

    The statements in it are changed alike; the same object comes back if nothing changed.
    """

    def changed(node: Any) -> Any:
        made = change(node)
        return with_operands(node, changed) if made is node else made

    old = {name: getattr(stmt, name, None) for name in _STATEMENT_FIELDS}
    expressions = {name: node for name, node in old.items() if node is not None and not isinstance(node, str)}
    new: dict[str, Any] = {name: other for name, node in expressions.items() if (other := changed(node)) is not node}
    if isinstance(stmt, st.Call):
        arguments = tuple(changed(a) for a in stmt.arguments)
        new |= {"arguments": arguments} if arguments != stmt.arguments else {}
    made: st.Stmt = replace(stmt, **new) if new else stmt
    inner = tuple(tuple(with_expressions(part, change) for part in body) for body in bodies(made))
    same = all(a is b for one, other in zip(inner, bodies(made), strict=True) for a, b in zip(one, other, strict=True))
    return made if same else with_bodies(made, inner)
