"""Loops of open length whose variable is divided by a small number: a loop over the quotient, with a copy per rest.

before  for i = 0 to 2 n     o[i] = x[i / 2]
after   for q = 0 to n       o[2 q] = x[q], o[2 q + 1] = x[q]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Guard, Loop, Node, Program, forms, walk
from raising.affine.transforms.strip_mine import copied, quotients, with_value

_LARGEST = 4  # number of copies of a loop's body


def with_residues(program: Program) -> Program:
    """The program with these loops over quotients, innermost first."""
    return replace(program, body=tuple(_node(node, frozenset(program.sizes)) for node in program.body))


def _node(node: Node, sizes: frozenset[str]) -> Node:
    if not isinstance(node, Loop | Guard):
        return node
    node = replace(node, body=tuple(_node(n, sizes) for n in node.body))
    length = _length(node, sizes) if isinstance(node, Loop) else 1
    return _split(node, length) if isinstance(node, Loop) and length > 1 else node


def _length(loop: Loop, sizes: frozenset[str]) -> int:
    """A small number by which the variable of an open loop is divided, and its trip count; 1 if there is none."""
    end = loop.upper[0]
    if loop.lower != (Lin(0),) or len(loop.upper) > 1 or loop.step > 1 or end.is_const or not end.names() <= sizes:
        return 1
    divided = (q for node in walk(loop.body) for form in forms(node) for q in quotients(form))
    found = {q.divisor // gcd(c, q.divisor) for q in divided for atom, c in q.inner.terms if atom == loop.iv}
    length = max(found, default=1)
    whole = not any(length % each for each in found) and not any(
        c % length for c in (end.const, *dict(end.terms).values())
    )
    return length if length <= _LARGEST and whole else 1


def _split(loop: Loop, length: int) -> Loop:
    body = [node for rest in range(length) for node in _body(loop, rest, var(loop.iv).scaled(length) + rest)]
    return replace(loop, upper=(loop.upper[0].floordiv(length),), body=tuple(body))


def _body(loop: Loop, rest: int, value: Lin) -> Iterator[Node]:
    """The loop's body at a value of its variable, with names of its own."""
    suffix = f"_r{rest}"
    for node in copied(loop, suffix).body:
        yield with_value(node, loop.iv + suffix, value)
