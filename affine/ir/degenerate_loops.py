"""Loops that run once or never are taken away, and guards that always or never hold."""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Guard, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import with_forms


def simplify(program: Program) -> Program:
    """The same program without one-trip and zero-trip loops and without guards that always or never hold."""
    body = _nodes(program.body, {})
    used = {n.array for n in walk(body) if isinstance(n, Load | Store)}
    arrays = {name: a for name, a in program.arrays.items() if name in used}
    return replace(program, body=body, arrays=arrays)


def _nodes(nodes: tuple[Node, ...], fixed: dict[str, Lin]) -> tuple[Node, ...]:
    return tuple(new for node in nodes for new in _node(node, fixed))


def _node(node: Node, fixed: dict[str, Lin]) -> tuple[Node, ...]:
    node = with_forms(node, lambda form: form.substitute(fixed.get))
    match node:
        case Loop():
            return _loop(node, fixed)
        case Guard():
            if any(c.form.is_const and not c.holds({}) for c in node.conds):
                return ()
            open_ = tuple(c for c in node.conds if not c.form.is_const)
            body = _nodes(node.body, fixed)
            return (replace(node, conds=open_, body=body),) if open_ and body else body
        case _:
            return (node,)


def _loop(node: Loop, fixed: dict[str, Lin]) -> tuple[Node, ...]:
    gaps = [(b - a).const for a in node.lower for b in node.upper if (b - a).is_const]
    if any(gap <= 0 for gap in gaps):
        return ()
    if len(node.lower) == len(node.upper) == 1 and gaps and gaps[0] <= node.step:
        return _nodes(node.body, {**fixed, node.iv: node.lower[0]})
    body = _nodes(node.body, fixed)
    return (replace(node, body=body),) if body else ()
