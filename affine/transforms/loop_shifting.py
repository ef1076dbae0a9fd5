"""Loops that count from where they read: the distance to an outer loop moves from the subscripts to the bounds.

    before  for k = 0 to n - i - 1 { s += A[i + k + 1][i] * B[i + k + 1][j] }
    after   for k = i + 1 to n     { s += A[k][i] * B[k][j] }

This is how slices (`A[i + 1:, i] @ B[i + 1:, j]`) and pointers that walk from a row's diagonal are read. A loop is
shifted where all subscripts with its variable have the same distance, and no more of its bounds name outer loops than
before: a window of fixed length (`x[i + k]` for k below 3) stays what it is.
"""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Guard, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import with_all_forms, with_forms


def shifted(program: Program) -> Program:
    """The program with its loops shifted where that makes their subscripts plain; itself if there are none."""
    body = _nodes(program.body, frozenset(loop.iv for loop in program.outer))
    return program if body == program.body else replace(program, body=body)


def _nodes(nodes: tuple[Node, ...], around: frozenset[str]) -> tuple[Node, ...]:
    return tuple(_inside(node, around) for node in nodes)


def _inside(node: Node, around: frozenset[str]) -> Node:
    if isinstance(node, Loop):
        distance = _distance(node, around)
        node = node if distance is None else _by(node, distance)
        return replace(node, body=_nodes(node.body, around | {node.iv}))
    return replace(node, body=_nodes(node.body, around)) if isinstance(node, Guard) else node


def _distance(loop: Loop, around: frozenset[str]) -> Lin | None:
    """The distance to shift a loop by; None if it has none, or its bounds would name more loops around it."""
    places = [f for n in walk(loop.body) if isinstance(n, Load | Store) for f in n.subscripts]
    distances = {form - var(loop.iv) for form in places if loop.iv in form.names()}
    if len(distances) != 1:
        return None
    distance = distances.pop()
    inside = {n.iv for n in walk(loop.body) if isinstance(n, Loop)} | {loop.iv}
    if distance.names() & inside or not distance.names() & around:
        return None
    before, after = (sum(bool(f.names() & around) for f in _bounds(lp)) for lp in (loop, _by(loop, distance)))
    return distance if after <= before else None


def _by(loop: Loop, distance: Lin) -> Loop:
    """A loop of which the variable is larger by a distance."""
    old = var(loop.iv) - distance
    body = with_all_forms(loop.body, lambda form: form.substitute(lambda name: old if name == loop.iv else None))
    moved = with_forms(loop, lambda bound: bound + distance)
    return replace(moved, body=body)


def _bounds(loop: Loop) -> tuple[Lin, ...]:
    return (*loop.lower, *loop.upper)
