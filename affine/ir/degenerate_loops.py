"""Loops that run once or never are taken away, and guards that always or never hold."""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.program import Guard, IndexValue, Load, Loop, Node, Program, Store, walk


def simplify(program: Program) -> Program:
    """The same program without one-trip and zero-trip loops and without guards that always or never hold."""
    body = _nodes(program.body, {})
    used = {n.array for n in walk(body) if isinstance(n, Load | Store)}
    arrays = {name: a for name, a in program.arrays.items() if name in used}
    return replace(program, body=body, arrays=arrays)


def _nodes(nodes: tuple[Node, ...], fixed: dict[str, Lin]) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in nodes:
        out.extend(_node(node, fixed))
    return tuple(out)


def _node(node: Node, fixed: dict[str, Lin]) -> tuple[Node, ...]:
    match node:
        case Loop():
            return _loop(node, fixed)
        case Guard():
            conds = tuple(Cond(c.form.substitute(fixed.get), c.equality) for c in node.conds)
            if any(c.form.is_const and not c.holds({}) for c in conds):
                return ()
            open_ = tuple(c for c in conds if not c.form.is_const)
            body = _nodes(node.body, fixed)
            return (replace(node, conds=open_, body=body),) if open_ and body else body
        case Load() | Store():
            return (replace(node, subscripts=tuple(f.substitute(fixed.get) for f in node.subscripts)),)
        case IndexValue():
            return (replace(node, form=node.form.substitute(fixed.get)),)
        case _:
            return (node,)


def _loop(node: Loop, fixed: dict[str, Lin]) -> tuple[Node, ...]:
    lower = tuple(f.substitute(fixed.get) for f in node.lower)
    upper = tuple(f.substitute(fixed.get) for f in node.upper)
    gaps = [(b - a).const for a in lower for b in upper if (b - a).is_const]
    if any(gap <= 0 for gap in gaps):
        return ()
    if len(lower) == len(upper) == 1 and gaps and gaps[0] <= node.step:
        return _nodes(node.body, {**fixed, node.iv: lower[0]})
    body = _nodes(node.body, fixed)
    return (replace(node, lower=lower, upper=upper, body=body),) if body else ()
