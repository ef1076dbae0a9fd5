"""Symbolic arithmetic: what a program computes at given sizes, as polynomials over its leaves.

Floats are real numbers; integers are polynomials modulo 2^w.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raising.affine.ir.integer_types import is_integer
from raising.affine.ir.interpreter import Arithmetic
from raising.affine.ir.program import Compute
from raising.affine.ir.sparse_polynomials import Poly, constant, scale, sub
from raising.grammar.terms.scalar_ops import predicate
from raising.validate.arithmetic import exact, integers
from raising.validate.bounded.ring_polynomial import Ring
from raising.validate.bounded.symbolic_integers import Integers, wrap
from raising.validate.bounded.symbolic_reals import Reals
from raising.validate.run.run import Leaf


class Symbolic:
    """Arithmetic on polynomials of one ring, which both programs share."""

    def __init__(self) -> None:
        self.ring = Ring()
        self.reals = Reals(self.ring)
        self.integers = Integers(self.ring, self.reals)

    def arithmetic(self, elements: Mapping[str, str]) -> Arithmetic[Poly]:
        """The arithmetic for a program whose values have these element types."""

        def compute(node: Compute, args: Sequence[Poly]) -> Poly:
            return self.apply(node, args, [elements[a] for a in node.args])

        return Arithmetic(compute, self.literal)

    def leaf(self, leaf: Leaf) -> Poly:
        """A leaf as an atom."""
        if leaf.element == "i1":
            return {(self.ring.truth("leaf", (), leaf),): 1}
        return {(self.ring.atom("leaf", (), leaf.element, leaf),): 1}

    def difference(self, a: Poly, b: Poly, element: str) -> Poly:
        """a - b, empty if they are equal."""
        return wrap(sub(a, b), element)

    def literal(self, value: Any, element: str) -> Poly:
        """The polynomial of a constant."""
        number = exact.literal(value, element)
        if isinstance(number, float):
            return scale(self.reals.infinity, 1 if number > 0 else -1)
        return constant(number)

    def apply(self, node: Compute, args: Sequence[Poly], elements: Sequence[str]) -> Poly:
        """One scalar operation on polynomials of the given element types."""
        op = node.op
        if op == "arith.select":
            return wrap(self.reals.select(*args), node.element)
        if op == "arith.cmpf":
            return self.reals.compare(predicate(op, node.attrs), args[0], args[1])
        if op == "math.isfinite":
            return constant(1)  # of real numbers, as `ord` is
        if op == "arith.cmpi":
            return self.integers.compare(node, args, elements[0])
        if op in integers.CASTS:
            return self.integers.cast(op, args[0], elements[0], node.element)
        if op in ("arith.sitofp", "arith.uitofp"):
            return self.integers.to_float(op, args[0], elements[0])
        if is_integer(node.element):
            return self.integers.apply(op, args, node.element)
        return self.ring.named(self.reals.apply(op, args))
