"""Sums of sizes and counters with integer factors: what bounds of slices and loops are."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from raising.readable.python_nodes import Node, binary, call, constant, name
from raising.support.record import dataclass


@dataclass(frozen=True)
class Form:
    """`factors[a] * a + ... + base`; each part is a piece of Python text."""

    factors: tuple[tuple[str, int], ...] = ()
    base: int = 0

    @classmethod
    def of(cls, factors: Mapping[str, int], base: int) -> Form:
        """The form, without parts that vanish."""
        return cls(tuple(sorted((a, f) for a, f in factors.items() if f)), base)

    @classmethod
    def part(cls, text: str) -> Form:
        """One part alone."""
        return cls(((text, 1),))

    def __add__(self, other: Form) -> Form:
        factors = dict(self.factors)
        for part, factor in other.factors:
            factors[part] = factors.get(part, 0) + factor
        return Form.of(factors, self.base + other.base)

    def times(self, factor: int) -> Form:
        """The form times a number."""
        return Form.of({a: f * factor for a, f in self.factors}, self.base * factor)

    def __sub__(self, other: Form) -> Form:
        return self + other.times(-1)

    def plus(self, number: int) -> Form:
        """The form and a number."""
        return Form(self.factors, self.base + number)

    @property
    def known(self) -> int | None:
        """The number that it is, if it is one."""
        return None if self.factors else self.base


class Forms:
    """The parts of forms, each with its node, and whether it is known not to be negative."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.clamped: dict[str, Form] = {}
        self.natural: set[str] = set()
        self.ends: dict[str, Form] = {}  # of counters: one beyond the last value

    def part(self, node: Node, natural: bool = False) -> Form:
        """A piece of Python as a form."""
        text = ast.unparse(node)
        self.nodes.setdefault(text, node)
        if natural:
            self.natural.add(text)
        return Form.part(text)

    def counter(self, text: str, natural: bool, end: Form | None = None) -> Form:
        """A name as a form; a name may be given to several counters, one after the other."""
        self.natural.discard(text)
        self.ends.pop(text, None)
        if end is not None:
            self.ends[text] = end
        return self.part(name(text), natural)

    def at_least_zero(self, form: Form) -> Form:
        """The form `max(form, 0)`."""
        if self.is_natural(form):
            return form
        if form.known is not None:
            return Form((), 0)
        found = self.part(call("max", self.node(form), constant(0)), natural=True)
        self.clamped[found.factors[0][0]] = form
        return found

    def least_beyond(self, form: Form, extent: Form) -> int | None:
        """The last subscript of a dimension, if the form is known to go beyond it; None if it does not, or who knows.

        A part without elements may begin there.
        """
        last = form
        for part, factor in form.factors:
            if factor == 1 and part in self.ends:
                last = last - Form.part(part) + self.ends[part].plus(-1)
        beyond = (last - extent).known
        return extent.base - 1 if beyond is not None and beyond >= 0 and extent.known else None

    def is_natural(self, form: Form) -> bool:
        """True if it is known not to be negative."""
        return form.base >= 0 and all(f > 0 and a in self.natural for a, f in form.factors)

    def unclamped(self, form: Form) -> Form:
        """The inner form of `max(form, 0)`, or the form itself."""
        if form.base == 0 and len(form.factors) == 1 and form.factors[0][1] == 1:
            return self.clamped.get(form.factors[0][0], form)
        return form

    def _from_base(self, form: Form) -> Node:
        """`18 - j`."""
        found = constant(form.base)
        for part, factor in form.factors:
            term = self.nodes[part] if factor == -1 else binary(ast.Mult, constant(-factor), self.nodes[part])
            found = binary(ast.Sub, found, term)
        return found

    def node(self, form: Form) -> Node:
        """The form in Python: what is added first."""
        found: Node | None = None
        for part, factor in sorted(form.factors, key=lambda one: one[1] < 0):
            node = self.nodes[part]
            term = node if abs(factor) == 1 else binary(ast.Mult, constant(abs(factor)), node)
            if found is None:
                found = term if factor > 0 else ast.UnaryOp(ast.USub(), term)
            else:
                found = binary(ast.Add if factor > 0 else ast.Sub, found, term)
        if found is None:
            return constant(form.base)
        if form.base > 0 and all(f < 0 for _, f in form.factors):
            return self._from_base(form)
        if form.base:
            found = binary(ast.Add if form.base > 0 else ast.Sub, found, constant(abs(form.base)))
        return found
