"""A `switch` whose cases do not fall through, as a chain of `if`."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.support.record import dataclass

_LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile


@dataclass
class _Group:
    """Labels that stand together, and their statements."""

    labels: list[Any] = field(default_factory=list)
    is_default: bool = False
    items: list[Any] = field(default_factory=list)


def as_branches(node: Any, name: str) -> Any:
    """The statement that a `switch` on the value of the variable `name` comes to."""
    groups = _groups(node)
    chain = next((c_ast.Compound(_ended(g, g is groups[-1]), _coord(g)) for g in groups if g.is_default), None)
    for group in reversed([g for g in groups if not g.is_default]):
        test = None
        for label in group.labels:
            one = c_ast.BinaryOp("==", c_ast.ID(name, label.coord), label.expr, label.coord)
            test = one if test is None else c_ast.BinaryOp("||", test, one, label.coord)
        body = c_ast.Compound(_ended(group, group is groups[-1]), _coord(group))
        chain = c_ast.If(test, body, chain, _coord(group))
    return c_ast.Compound([] if chain is None else [chain], node.coord)


def _coord(group: _Group) -> Any:
    return group.labels[0].coord


def _groups(node: Any) -> list[_Group]:
    groups = [_Group()]
    items = node.stmt.block_items or [] if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
    for item in items:
        if not isinstance(item, c_ast.Case | c_ast.Default):
            raise Refused(place(item), "a statement of a switch before its first case")
        if groups[-1].items:
            groups.append(_Group())
        groups[-1].labels.append(item)
        groups[-1].is_default |= isinstance(item, c_ast.Default)
        groups[-1].items += item.stmts or []
    return [g for g in groups if g.labels]


def _ended(group: _Group, last: bool) -> list[Any]:
    """The statements of a group without the `break` at its end."""
    items = list(group.items)
    if len(items) == 1 and isinstance(items[0], c_ast.Compound):
        items = list(items[0].block_items or [])
    if items and isinstance(items[-1], c_ast.Break):
        items.pop()
    elif not last and not (items and isinstance(items[-1], c_ast.Return)):
        raise Refused(place(group.labels[-1]), "a case of a switch that falls through to the next one")
    for item in items:
        leaving = jump(item)
        if leaving is not None:
            what = "break" if isinstance(leaving, c_ast.Break) else "continue"
            raise Refused(place(leaving), f"{what} in the middle of a case of a switch")
    return items


def jump(node: Any) -> Any:
    """The first `break` or `continue` in a statement that leaves it; None if there is none."""
    if node is None or isinstance(node, c_ast.Break | c_ast.Continue):
        return node
    if isinstance(node, _LOOPS):
        return None
    parts = [child for _, child in node.children()]
    found = [leaving for part in parts if (leaving := jump(part)) is not None]
    inside = isinstance(node, c_ast.Switch)
    return next((f for f in found if not (inside and isinstance(f, c_ast.Break))), None)
