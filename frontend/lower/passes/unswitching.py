"""Loop unswitching: a branch on what no iteration changes is decided once, in front of the loop (Allen and Cocke 1972).

before  for i = 0 to n:  choose %c             after  choose %c
                           y[i] = x[i] * a              for i = 0 to n:  y[i] = x[i] * a
                         else                         else
                           y[i] = x[i]                  for i = 0 to n:  y[i] = x[i]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from raising.affine.ir.integer_functions import DIVISIONS
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import definitions, map_nodes, parts, substituted, walk, with_parts
from raising.frontend.lower.ir.polynomial import var

MOST = 2
"""Conditions that are decided in front of one loop; each makes two of it."""
_TRAPS = tuple(DIVISIONS)

_Key = tuple[object, ...]
"""What a value is computed of: equal for equal values."""


def unswitched(function: tp.Function) -> tp.Function:
    """The function with such branches in front of their loops."""
    worker = _Unswitching(function)
    body = worker.block(function.body, MOST)
    return replace(function, body=body, bounds=worker.bounds)


class _Unswitching:
    def __init__(self, function: tp.Function) -> None:
        self.fresh, self.bounds = tp.Fresh(function), dict(function.bounds)

    def block(self, nodes: tuple[tp.Node, ...], most: int) -> tuple[tp.Node, ...]:
        """The nodes of a block outside of loops, of which each loop may become two as often as that."""
        return tuple(new for node in nodes for new in self._node(node, most))

    def _node(self, node: tp.Node, most: int) -> Iterable[tp.Node]:
        if not isinstance(node, tp.For):
            inner = () if isinstance(node, tp.While) else parts(node)
            return (with_parts(node, tuple(self.block(part, most) for part in inner)) if inner else node,)
        choices = [n for n in walk((node,)) if isinstance(n, tp.Choose)] if most else []
        made = definitions((node,)) if choices else {}
        decided = ((n, key) for n in choices if (key := _key(n.cond, made)) is not None)
        branch, key = next(decided, (None, None))
        if branch is None:
            return (node,)
        lets = _computing(branch.cond, made)
        numbers = {let.dst: self.fresh.number() for let in lets}
        cond = numbers.get(branch.cond, branch.cond)
        yes, no = (
            map_nodes((node,), lambda n, side=side: _sided(n, key, made, side))  # type: ignore[misc]
            for side in (0, 1)
        )
        sides = self.block(yes, most - 1), self.block(self._copied(no), most - 1)
        return (*renumbered(lets, numbers), tp.Choose(cond, *sides, branch.loc))

    def _copied(self, nodes: tuple[tp.Node, ...]) -> tuple[tp.Node, ...]:
        """The same with values and loops of its own."""
        for loop in [n for n in walk(nodes) if isinstance(n, tp.For)]:
            name = self.fresh.name(loop.iv)
            self.bounds[name] = self.bounds.get(loop.iv, (loop.lower, loop.upper))
            nodes = map_nodes(nodes, lambda n, old=loop.iv, new=name: _with_variable(n, old, new))  # type: ignore[misc]
        return renumbered(nodes, {value: self.fresh.number() for value in definitions(nodes)})


def _with_variable(node: tp.Node, old: str, new: str) -> tuple[tp.Node, ...]:
    if not isinstance(node, tp.For) or node.iv != old:
        return (node,)
    return (replace(node, iv=new, body=substituted(node.body, {old: var(new)})),)


def _key(value: int, made: Mapping[int, tp.Definition]) -> _Key | None:
    """What a value is computed of, `made` being what is made inside of a loop; None if an iteration changes it."""
    node = made.get(value)
    if node is None:
        return (value,)
    if not isinstance(node, tp.Let) or node.text.startswith(_TRAPS):
        return None
    keys = [_key(arg, made) for arg in node.args]
    return None if None in keys else (node.text, node.type, *keys)


def _computing(value: int, made: Mapping[int, tp.Definition]) -> tuple[tp.Let, ...]:
    """The nodes inside of a loop that compute a value, in order."""
    node = made.get(value)
    if not isinstance(node, tp.Let):
        return ()
    return tuple(dict.fromkeys((*(n for arg in node.args for n in _computing(arg, made)), node)))


def _sided(node: tp.Node, key: _Key | None, made: Mapping[int, tp.Definition], side: int) -> tuple[tp.Node, ...]:
    """A side of a branch on that in place of the branch; any other node as it is."""
    decided = isinstance(node, tp.Choose) and _key(node.cond, made) == key
    return parts(node)[side] if decided else (node,)


def renumbered(nodes: tuple[tp.Node, ...], numbers: Mapping[int, int]) -> tuple[tp.Node, ...]:
    """The nodes with other numbers for values."""

    def of(value: int) -> int:
        return numbers.get(value, value)

    def change(node: tp.Node) -> tuple[tp.Node, ...]:
        match node:
            case tp.Let():
                return (replace(node, dst=of(node.dst), args=tuple(map(of, node.args))),)
            case tp.IndexOf() | tp.Read():
                return (replace(node, dst=of(node.dst)),)
            case tp.Write():
                return (replace(node, value=of(node.value)),)
            case tp.Choose() | tp.While():
                return (replace(node, cond=of(node.cond)),)
        return (node,)

    return map_nodes(nodes, change)
