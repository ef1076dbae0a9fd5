"""Children of nodes, and nodes with other children: every walk over the core is made of these functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter, is_
from typing import Any, TypeVar

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st

Body = tuple[st.Stmt, ...]
Node = ex.Expr | ex.Lvalue | ex.Initial
N = TypeVar("N", bound=Node)
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


def operands(node: Node) -> tuple[Node, ...]:
    """The expressions and lvalues directly inside of one."""
    parts = _OPERANDS.get(type(node))
    return () if parts is None else parts(node)


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Node, ...]]:
    get: Callable[[Any], Any] = attrgetter(*names)
    return get if len(names) > 1 else lambda node: (get(node),)


_OPERANDS: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    **{kind: _getter(names) for kind, names in _EXPRESSION_FIELDS.items()},
    ex.Intrinsic: attrgetter("arguments"),
    ex.Aggregate: lambda node: tuple(item for _, item in node.items),
}


def inside(node: Node) -> Iterator[Node]:
    """An expression and all that is in it, parents first, in order. Extents of types are not entered."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        if type(part) in _OPERANDS:
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


def replaced(node: N, change: Change) -> N:
    """The node with its outermost parts (or itself) for which `change` returns another node replaced by that node."""
    made: N = change(node)
    return with_operands(node, lambda part: replaced(part, change)) if made is node else made


# ---- statements -----------------------------------------------------------------------------------

_BODIES: dict[type, tuple[str, ...]] = {st.If: ("then", "otherwise"), st.Loop: ("test", "body", "step")}
_BODIES[st.Region] = ("body",)
"""By class: the fields that hold statements, in the order of the text; a `Switch` has those of its arms."""

_STATEMENT_FIELDS: dict[type, tuple[str, ...]] = {
    st.Declare: ("initial",),
    st.Assign: ("target", "value"),
    st.Call: ("callee",),
    **dict.fromkeys((st.If, st.Loop, st.Assume), ("condition",)),
    **dict.fromkeys((st.Switch, st.Return), ("value",)),
}
"""By class: the fields that hold one expression or lvalue; a `Call` has its arguments, too."""


def bodies(stmt: st.Stmt) -> tuple[Body, ...]:
    """The sequences of statements directly inside of one, in the order of the text."""
    if isinstance(stmt, st.Switch):
        return tuple(arm.body for arm in stmt.arms)
    return tuple(getattr(stmt, name) for name in _BODIES.get(type(stmt), ()))


def with_bodies(stmt: st.Stmt, new: tuple[Body, ...]) -> st.Stmt:
    """The statement with other sequences in it."""
    if isinstance(stmt, st.Switch):
        arms = tuple(replace(arm, body=body) for arm, body in zip(stmt.arms, new, strict=True))
        return replace(stmt, arms=arms)
    names = _BODIES.get(type(stmt), ())
    return replace(stmt, **dict(zip(names, new, strict=True))) if names else stmt  # type: ignore[arg-type]


def map_bodies(stmt: st.Stmt, change: Callable[[Body], Body]) -> st.Stmt:
    """The statement with each sequence directly inside of it changed; the same object if nothing changed."""
    old = bodies(stmt)
    new = tuple(map(change, old))
    same = all(len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(new, old, strict=True))
    return stmt if same else with_bodies(stmt, new)


def statements(body: Body) -> Iterator[st.Stmt]:
    """Every statement, parents first, in the order of the text."""
    pending = [*reversed(body)]
    while pending:
        stmt = pending.pop()
        yield stmt
        for part in reversed(bodies(stmt)):
            pending += reversed(part)


def own_expressions(stmt: st.Stmt) -> tuple[Node, ...]:
    """The expressions and lvalues of a statement itself, without those of the statements in it."""
    fields = (getattr(stmt, name) for name in _STATEMENT_FIELDS.get(type(stmt), ()))
    found = tuple(node for node in fields if node is not None and not isinstance(node, str))
    return (*found, *stmt.arguments) if isinstance(stmt, st.Call) else found


def nodes_of(body: Body) -> Iterator[Node]:
    """Every expression and lvalue in statements and in the statements inside of them, in the order of the text."""
    for stmt in statements(body):
        for expression in own_expressions(stmt):
            yield from inside(expression)


def with_expressions(stmt: st.Stmt, change: Change) -> st.Stmt:
    """The statement, and those in it, with expressions and lvalues `replaced`; the same object if nothing changed."""
    new: dict[str, Any] = {}
    for name in _STATEMENT_FIELDS.get(type(stmt), ()):
        old = getattr(stmt, name)
        if old is not None and not isinstance(old, str) and (made := replaced(old, change)) is not old:
            new[name] = made
    if isinstance(stmt, st.Call):
        arguments = tuple(replaced(a, change) for a in stmt.arguments)
        new |= {"arguments": arguments} if arguments != stmt.arguments else {}
    changed: st.Stmt = replace(stmt, **new) if new else stmt
    return map_bodies(changed, lambda body: tuple(with_expressions(s, change) for s in body))
