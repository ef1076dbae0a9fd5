"""Choices of the larger or smaller of two numbers, `a >= b ? a : b`, as the maximum or minimum that they are.

A comparison and a selection do not accumulate; a maximum does. (Where a number is NaN the two differ.)
"""

from __future__ import annotations

from dataclasses import replace

from affine.program import Compute, Guard, Load, Loop, Node, Program, Store, walk

_GREATER = {"arith.cmpf": (2, 3), "arith.cmpi": (4, 5)}  # predicates by their number: ogt, oge; sgt, sge
_LESS = {"arith.cmpf": (4, 5), "arith.cmpi": (2, 3)}  # olt, ole; slt, sle
_LARGEST = {"arith.cmpf": "arith.maximumf", "arith.cmpi": "arith.maxsi"}
_SMALLEST = {"arith.cmpf": "arith.minimumf", "arith.cmpi": "arith.minsi"}


def with_extrema(program: Program) -> Program:
    """The program with such choices as single operations; the same one if there is none."""
    body = _block(program.body, {})
    return program if body == program.body else replace(program, body=body)


def _block(nodes: tuple[Node, ...], known: dict[str, Node]) -> tuple[Node, ...]:
    out: list[Node] = []
    same: dict[tuple[object, ...], str] = {}  # what has been loaded, and the first name of it
    first: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, Load):
            first[node.dst] = same.setdefault((node.array, node.subscripts), node.dst)
        written = _written(node)
        same = {key: name for key, name in same.items() if key[0] not in written}
        if isinstance(node, Compute):
            found = _extremum(node, known, first)
            known[node.dst] = node
            out.append(found or node)
        elif isinstance(node, Loop | Guard):
            out.append(replace(node, body=_block(node.body, dict(known))))
        else:
            out.append(node)
    return tuple(out)


def _written(node: Node) -> set[str]:
    return {n.array for n in walk((node,)) if isinstance(n, Store)}


def _extremum(node: Compute, known: dict[str, Node], first: dict[str, str]) -> Compute | None:
    test = known.get(node.args[0]) if node.op == "arith.select" else None
    if not isinstance(test, Compute) or test.op not in _GREATER:
        return None
    number = int(dict(test.attrs).get("predicate", "-1").split(":")[0])
    sides = tuple(first.get(a, a) for a in test.args)
    chosen = tuple(first.get(a, a) for a in node.args[1:])
    if sides not in (chosen, chosen[::-1]) or number not in (*_GREATER[test.op], *_LESS[test.op]):
        return None
    largest = (number in _GREATER[test.op]) == (sides == chosen)
    op = (_LARGEST if largest else _SMALLEST)[test.op]
    return Compute(node.dst, op, node.args[1:], (), node.element, node.loc)
