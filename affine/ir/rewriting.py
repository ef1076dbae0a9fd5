"""Programs rewritten: a function of nodes, loops, affine expressions or names applied to all nodes of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Compute, Guard, IndexValue, Load, Loop, Node, Store

N = TypeVar("N", bound=Node)


def rewritten(nodes: tuple[Node, ...], change: Callable[[Node], Iterable[Node]]) -> tuple[Node, ...]:
    """A block with the nodes that `change` returns in place of each node.

    A loop or guard is given to `change` with its body rewritten already.
    """
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop | Guard):
            node = replace(node, body=rewritten(node.body, change))
        found += change(node)
    return tuple(found)


def with_loops(nodes: tuple[Node, ...], change: Callable[[Loop], tuple[Node, ...]]) -> tuple[Node, ...]:
    """A block with the nodes that `change` returns in place of each loop, inner loops first."""
    return rewritten(nodes, lambda node: change(node) if isinstance(node, Loop) else (node,))


def with_forms(node: N, form: Callable[[Lin], Lin]) -> N:
    """A node with `form` applied to each of its own affine expressions (`forms`), not to those in its body."""
    changed: dict[str, Any] = {}
    match node:
        case Loop():
            changed = {"lower": tuple(map(form, node.lower)), "upper": tuple(map(form, node.upper))}
        case Guard():
            changed = {"conds": tuple(c.with_form(form) for c in node.conds)}
        case Load() | Store():
            changed = {"subscripts": tuple(map(form, node.subscripts))}
        case IndexValue():
            changed = {"form": form(node.form)}
    return replace(node, **changed)


def with_all_forms(nodes: tuple[Node, ...], form: Callable[[Lin], Lin]) -> tuple[Node, ...]:
    """Nodes with `form` applied to every affine expression in them, in text order."""
    found: list[Node] = []
    for node in nodes:
        new = with_forms(node, form)
        found.append(replace(new, body=with_all_forms(new.body, form)) if isinstance(new, Loop | Guard) else new)
    return tuple(found)


def with_operands(node: Node, names: Callable[[str], str]) -> Node:
    """A node with `names` applied to the values that it uses."""
    match node:
        case Store():
            return replace(node, value=names(node.value))
        case Compute():
            return replace(node, args=tuple(map(names, node.args)))
        case _:
            return node


def with_names(node: Node, names: Callable[[str], str]) -> Node:
    """A node with `names` applied to the name that it defines and to the values that it uses."""
    node = with_operands(node, names)
    match node:
        case Loop():
            return replace(node, iv=names(node.iv))
        case Store():
            return replace(node, label=names(node.label))
        case Load() | Compute() | IndexValue():
            return replace(node, dst=names(node.dst))
        case _:
            return node


def with_arrays(nodes: tuple[Node, ...], names: Callable[[str], str]) -> tuple[Node, ...]:
    """Nodes with `names` applied to the arrays that they load from and store to."""

    def change(node: Node) -> tuple[Node, ...]:
        return (replace(node, array=names(node.array)) if isinstance(node, Load | Store) else node,)

    return rewritten(nodes, change)
