"""Sums of sizes and counters with integer factors, whose terms are pieces of Python: bounds of slices and loops."""

from __future__ import annotations

import ast

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.readable.python_nodes import Node, binary, call, constant, name


class Forms:
    """The parts of forms, each with its node, and whether it is known not to be negative."""

    def __init__(self) -> None:
        self.nodes: dict[Term, Node] = {}
        self.clamped: dict[Term, Affine] = {}
        self.natural: set[Term] = set()
        self.ends: dict[Term, Affine] = {}  # of counters: one beyond the last value

    def part(self, node: Node, natural: bool = False) -> Affine:
        """A piece of Python as a form."""
        text = ast.unparse(node)
        self.nodes.setdefault(text, node)
        if natural:
            self.natural.add(text)
        return dim(text)

    def counter(self, text: str, natural: bool, end: Affine | None = None) -> Affine:
        """A name as a form; a name may be given to several counters, one after the other."""
        self.natural.discard(text)
        self.ends.pop(text, None)
        if end is not None:
            self.ends[text] = end
        return self.part(name(text), natural)

    def at_least_zero(self, form: Affine) -> Affine:
        """The form `max(form, 0)`."""
        if self.is_natural(form):
            return form
        if form.known is not None:
            return Affine(0)
        found = self.part(call("max", self.node(form), constant(0)), natural=True)
        self.clamped[found.terms[0][0]] = form
        return found

    def least_beyond(self, form: Affine, extent: Affine) -> int | None:
        """The last subscript of a dimension, if the form is known to go beyond it; None if it does not, or who knows.

        A part without elements may begin there.
        """
        last = form
        for part, factor in form.terms:
            if factor == 1 and part in self.ends:
                last = last - dim(part) + self.ends[part] - 1
        beyond = (last - extent).known
        return extent.constant - 1 if beyond is not None and beyond >= 0 and extent.known else None

    def is_natural(self, form: Affine) -> bool:
        """True if it is known not to be negative."""
        return form.constant >= 0 and all(f > 0 and a in self.natural for a, f in form.terms)

    def unclamped(self, form: Affine) -> Affine:
        """The inner form of `max(form, 0)`, or the form itself."""
        if form.constant == 0 and len(form.terms) == 1 and form.terms[0][1] == 1:
            return self.clamped.get(form.terms[0][0], form)
        return form

    def _from_base(self, form: Affine) -> Node:
        """`18 - j`."""
        found = constant(form.constant)
        for part, factor in form.terms:
            term = self.nodes[part] if factor == -1 else binary(ast.Mult, constant(-factor), self.nodes[part])
            found = binary(ast.Sub, found, term)
        return found

    def node(self, form: Affine) -> Node:
        """The form in Python: what is added first."""
        found: Node | None = None
        for part, factor in sorted(form.terms, key=lambda one: one[1] < 0):
            node = self.nodes[part]
            term = node if abs(factor) == 1 else binary(ast.Mult, constant(abs(factor)), node)
            if found is None:
                found = term if factor > 0 else ast.UnaryOp(ast.USub(), term)
            else:
                found = binary(ast.Add if factor > 0 else ast.Sub, found, term)
        if found is None:
            return constant(form.constant)
        if form.constant > 0 and all(f < 0 for _, f in form.terms):
            return self._from_base(form)
        if form.constant:
            found = binary(ast.Add if form.constant > 0 else ast.Sub, found, constant(abs(form.constant)))
        return found
