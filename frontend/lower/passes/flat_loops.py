"""Loops over all elements of a flat array become loops over its rows and columns, where other subscripts have rows.

before  for i = 0 to n * m: a[i]        beside a[k * m + j]
after   for i = 0 to n: for j = 0 to m: a[i * m + j]        assumed m >= 0
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir.nodes import (
    Assumption,
    Cond,
    For,
    Function,
    Node,
    Read,
    Write,
    forms_of,
    map_forms,
    parts,
    walk,
    with_parts,
)
from raising.frontend.lower.ir.polynomial import Mono, Poly, const, divided, var


def with_rows(function: Function) -> Function:
    """The function with such loops in two; the same one if there are none."""
    worker = _Rows(function)
    body = worker.block(function.body)
    if not worker.assumed:
        return function
    assumed = tuple(dict.fromkeys(worker.assumed))
    return replace(function, body=body, bounds=worker.bounds, assumptions=(*function.assumptions, *assumed))


class _Rows:
    def __init__(self, function: Function) -> None:
        self.free, self.bounds = function.facts.free, dict(function.bounds)
        self.taken = {*function.bounds, *function.arrays, *(p.name for p in function.parameters), *self.free}
        self.assumed: list[Assumption] = []
        self.strides: dict[str, set[Mono]] = {}
        for node in walk(function.body):
            if isinstance(node, Read | Write) and function.arrays[node.array].flat:
                sizes = {
                    self._sizes(mono) for mono, _ in node.subscripts[0].terms if len(self._sizes(mono)) < len(mono)
                }
                self.strides.setdefault(node.array, set()).update(sizes - {()})

    def _sizes(self, mono: Mono) -> Mono:
        return tuple(a for a in mono if isinstance(a, str) and a in self.free)

    def block(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """A block with the loops in it rewritten."""
        return tuple(self._node(with_parts(n, tuple(self.block(part) for part in parts(n)))) for n in nodes)

    def _node(self, node: Node) -> Node:
        if not isinstance(node, For) or node.step != 1 or node.lower != (const(0),) or len(node.upper) > 1:
            return node
        row = self._row(node)
        if row is None:
            return node
        length = Poly(((row, 1),))
        rows, rest = divided(node.upper[0], length)
        if rest.constant != 0 or not rows.names() <= self.free:
            return node
        self.assumed.append(
            Assumption(node.loc, f"{length.at_least_zero}: rows have that many elements", (Cond(length),))
        )
        first, second = self._named(f"{node.iv}_row"), self._named(f"{node.iv}_column")
        self.bounds[first], self.bounds[second] = ((const(0),), (rows,)), ((const(0),), (length,))
        inner = replace(
            node, iv=second, upper=(length,), body=_moved(node.body, node.iv, var(first) * length + var(second))
        )
        return replace(node, iv=first, upper=(rows,), body=(inner,))

    def _named(self, name: str) -> str:
        """A name that nothing has."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def _row(self, loop: For) -> Mono | None:
        """The length of the rows of what a loop runs over, if it uses its variable for that only."""
        found: set[Mono] = set()
        for node in walk(loop.body):
            asked = [form for form in forms_of(node) if loop.iv in form.names()]
            if not asked:
                continue
            whole = all(form - var(loop.iv) == const(0) for form in asked)
            if not isinstance(node, Read | Write) or not whole:
                return None
            found |= self.strides.get(node.array, set())
        return next(iter(found)) if len(found) == 1 else None


def _moved(nodes: tuple[Node, ...], iv: str, form: Poly) -> tuple[Node, ...]:
    """Nodes with a form in place of a variable."""
    changed = (map_forms(node, lambda old: old.substitute({iv: form})) for node in nodes)
    return tuple(with_parts(n, tuple(_moved(part, iv, form) for part in parts(n))) for n in changed)
