"""Loops over all elements of a flat array become loops over its rows and columns, where other subscripts have rows.

before  for i = 0 to n * m: a[i]        beside a[k * m + j]
after   for i = 0 to n: for j = 0 to m: a[i * m + j]        assumed m >= 0
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import forms_of, map_nodes, substituted, walk
from raising.frontend.lower.ir.polynomial import Mono, Poly, const, divided, var


def with_rows(function: tp.Function) -> tp.Function:
    """The function with such loops in two; the same one if there are none."""
    worker = _Rows(function)
    body = map_nodes(function.body, worker.split)
    if not worker.assumed:
        return function
    assumed = tuple(dict.fromkeys(worker.assumed))
    return replace(function, body=body, bounds=worker.bounds, assumptions=(*function.assumptions, *assumed))


class _Rows:
    def __init__(self, function: tp.Function) -> None:
        self.free, self.bounds = function.facts.free, dict(function.bounds)
        self.fresh = tp.Fresh(function)
        self.assumed: list[tp.Assumption] = []
        self.strides: dict[str, set[Mono]] = {}
        for node in walk(function.body):
            if isinstance(node, tp.Read | tp.Write) and function.arrays[node.array].flat:
                sizes = {
                    self._sizes(mono) for mono, _ in node.subscripts[0].terms if len(self._sizes(mono)) < len(mono)
                }
                self.strides.setdefault(node.array, set()).update(sizes - {()})

    def _sizes(self, mono: Mono) -> Mono:
        return tuple(a for a in mono if isinstance(a, str) and a in self.free)

    def split(self, node: tp.Node) -> tuple[tp.Node]:
        """A loop over all elements as loops over rows and columns; any other node as it is."""
        if not isinstance(node, tp.For) or node.step != 1 or node.lower != (const(0),) or len(node.upper) > 1:
            return (node,)
        row = self._row(node)
        if row is None:
            return (node,)
        length = Poly(((row, 1),))
        rows, rest = divided(node.upper[0], length)
        if rest.constant != 0 or not rows.names() <= self.free:
            return (node,)
        self.assumed.append(
            tp.Assumption(node.loc, f"{length.at_least_zero}: rows have that many elements", (tp.Cond(length),))
        )
        first, second = self.fresh.name(f"{node.iv}_row"), self.fresh.name(f"{node.iv}_column")
        self.bounds[first], self.bounds[second] = ((const(0),), (rows,)), ((const(0),), (length,))
        body = substituted(node.body, {node.iv: var(first) * length + var(second)})
        inner = replace(node, iv=second, upper=(length,), body=body)
        return (replace(node, iv=first, upper=(rows,), body=(inner,)),)

    def _row(self, loop: tp.For) -> Mono | None:
        """The length of the rows of what a loop runs over, if it uses its variable for that only."""
        found: set[Mono] = set()
        for node in walk(loop.body):
            asked = [form for form in forms_of(node) if loop.iv in form.names()]
            if not asked:
                continue
            whole = all(form - var(loop.iv) == const(0) for form in asked)
            if not isinstance(node, tp.Read | tp.Write) or not whole:
                return None
            found |= self.strides.get(node.array, set())
        return next(iter(found)) if len(found) == 1 else None
