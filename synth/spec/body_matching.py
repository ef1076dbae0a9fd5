"""Whole scalar bodies of a grammar found in a statement's expression, for operations that do several things at once.

A body is matched from its result down, operands of commutative operations in both orders; a constant of the body
matches an equal one of the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice

from raising.affine.ir.program import Compute, Scalar
from raising.grammar.terms.scalar_ops import combiners
from raising.grammar.terms.structured_op import CONSTANT, Body, Instr
from raising.synth.spec.loop_values import Value
from raising.synth.spec.schemes import Scheme

_MOST = 16  # matches looked at per body and value
Binding = dict[int, str]  # a body's inputs by the names of the values they stand for
Way = tuple[Scheme, list[Value]]
"""A scheme, and the values that it is applied to."""


class Matcher:
    """Matches bodies with the computations of one program."""

    def __init__(
        self, computes: Mapping[str, Compute], scalars: Mapping[str, Scalar], known: Mapping[str, Value]
    ) -> None:
        self.computes, self.scalars, self.known = computes, scalars, known

    def ways(self, scheme: Scheme, body: Body, name: str) -> list[Way]:
        """The ways in which a scheme, by its `body`, computes a value from values known."""
        ways = [[self.known[n] for n in names] for names in self._operands(body, name)]
        return [(scheme, way) for way in ways if scheme.result_element(tuple(a.term.type for a in way)) is not None]

    def _operands(self, body: Body, name: str) -> Iterator[tuple[str, ...]]:
        """The values that a body computes `name` from, in the order of its inputs; each is one of `known`."""
        for found in islice(self._value(body, body.result, name, {}), _MOST):
            if len(found) == body.arity - 1:
                yield tuple(found[k] for k in range(body.arity - 1))

    def _value(self, body: Body, value: int, name: str, bound: Binding) -> Iterator[Binding]:
        if value < body.arity - 1:
            if bound.get(value, name) == name and name in self.known:
                yield {**bound, value: name}
        elif value >= body.arity:
            yield from self._instr(body, body.instrs[value - body.arity], name, bound)

    def _instr(self, body: Body, instr: Instr, name: str, bound: Binding) -> Iterator[Binding]:
        if instr.op == CONSTANT:
            if self._is_literal(name, dict(instr.attrs)["value"]):
                yield bound
            return
        node = self.computes.get(name)
        if node is None or (node.op, node.attrs, len(node.args)) != (instr.op, instr.attrs, len(instr.args)):
            return
        orders = dict.fromkeys((node.args, node.args[::-1] if instr.op in combiners() else node.args))
        for args in orders:
            yield from self._all(body, tuple(zip(instr.args, args, strict=True)), bound)

    def _all(self, body: Body, pairs: tuple[tuple[int, str], ...], bound: Binding) -> Iterator[Binding]:
        if not pairs:
            yield bound
            return
        for first in self._value(body, *pairs[0], bound):
            yield from self._all(body, pairs[1:], first)

    def _is_literal(self, name: str, text: str) -> bool:
        scalar = self.scalars.get(name)
        try:
            wanted = Fraction(text.partition(":")[0].strip())
            return scalar is not None and scalar.literal is not None and Fraction(scalar.literal) == wanted
        except ValueError:
            return False
