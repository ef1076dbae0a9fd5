"""Elements of array expressions, as expressions of numbers: `at` are the indices of the one that is asked for."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.python.module import refused
from raising.frontend.python.typed_nodes import Typed, called, chosen
from raising.frontend.python.types import of_both
from raising.frontend.python.whole_arrays.indexing.array_parts import View
from raising.frontend.python.whole_arrays.indexing.array_shapes import Shapes
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.support.source import Loc

_OPERATORS: dict[str, ast.operator] = {
    "add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult(), "divide": ast.Div(), "true_divide": ast.Div(),
    "floor_divide": ast.FloorDiv(), "mod": ast.Mod(), "remainder": ast.Mod(),
}  # fmt: skip
WITH_OUT = frozenset(_OPERATORS) | {"maximum", "minimum", "power"}
"""Functions of two arguments, whose third one is where the result is stored."""


class Elementwise(Shapes):
    """Translates elements of array expressions."""

    def value(self, node: ast.expr) -> Typed:
        """An expression, or an element of one."""
        made = self.made_before(node)
        if isinstance(made, Typed):
            return made
        view, loc = self.view(node), self.place(node)
        if view is None or (not view.extents and is_plain(node)):
            return super().value(node)
        if view.extents and self.at is None:
            raise refused(self.module, node, f"array '{view.name}' is used whole where a number is needed")
        return Typed(build.load(self.lvalue(view, self.at or (), loc), loc), self.arrays[view.name].kind)

    def lvalue(self, view: View, at: Sequence[ex.Expr], loc: Loc) -> ex.Lvalue:
        """An element of a part of an array."""
        found: ex.Lvalue = build.name(self.memory(view.name, loc), loc)
        for subscript in view.subscripts(at, loc):
            found = build.element(found, subscript, loc)
        return found

    def element_of(self, node: ast.expr, at: Sequence[ex.Expr]) -> Typed:
        """An element of an array expression."""
        return self.located(at, lambda: self.value(node))

    def extents_of(self, array: ast.expr) -> Shape | None:
        """The extents of an array or of a part of one, none of which may be negative; None for other expressions."""
        if is_plain(array):
            return super().extents_of(array)
        view = self.view(array)
        for extent in () if view is None else view.extents:
            self.require("no slice has a negative length", extent, 0, array)
        return None if view is None else view.extents

    def call(self, node: ast.Call, loc: Loc) -> Typed:
        """The value of a call of a function that works on elements."""
        method = self.method(node)
        if method is not None:
            return self._method(node, method, loc)
        home, _, name = self.module.dotted(node.func).rpartition(".")
        if home == "numpy" and not node.keywords:
            if name in _OPERATORS and len(node.args) == 2:
                left, right = self.values(node.args)
                operation = ast.copy_location(ast.BinOp(node.args[0], _OPERATORS[name], node.args[1]), node)
                return self.combined(operation, left, right, loc)
            if name == "where" and len(node.args) == 3:
                return self._where(self.values(node.args), loc)
            if name == "_clip" and len(node.args) == 3:
                return self._clipped(self.values(node.args), loc)
        return super().call(node, loc)

    def _method(self, node: ast.Call, method: ast.Attribute, loc: Loc) -> Typed:
        """`A.astype(t)` and `A.copy()`."""
        if method.attr == "astype" and len(node.args) == 1 and not node.keywords:
            kind, value = self.dtype(node.args[0], node), self.value(method.value)
            if kind is not None:
                truth = kind.is_bool and not value.kind.is_complex
                return Typed(
                    build.as_truth(value.converted(value.kind, loc), loc) if truth else value.converted(kind, loc), kind
                )
        if method.attr == "copy" and not node.args and not node.keywords:
            return self.value(method.value)
        raise refused(self.module, node, f"a method of an array: '{method.attr}'")

    def _where(self, values: Sequence[Typed], loc: Loc) -> Typed:
        test, then, otherwise = values
        truth = build.as_truth(test.converted(test.kind, loc), loc)
        return chosen(truth, then, otherwise, of_both(then.kind, otherwise.kind), loc)

    def _clipped(self, values: Sequence[Typed], loc: Loc) -> Typed:
        """A value between two others; the second where these are in the wrong order."""
        value, least, greatest = values
        kind = of_both(of_both(value.kind, least.kind), greatest.kind)
        self.check_fits(values, kind, loc)
        found, low, high = (v.converted(kind, loc) for v in values)
        if kind.is_float:
            return called("minimum", [called("maximum", [found, low], kind, loc).node, high], kind, loc)
        raised = self.kept(chosen(build.compare("lt", found, low, loc), least, value, kind, loc).node)
        return chosen(build.compare("gt", raised, high, loc), greatest, Typed(raised, kind), kind, loc)


def is_plain(node: ast.expr) -> bool:
    """True for an array's name with subscripts, none of which is a slice."""
    while isinstance(node, ast.Subscript):
        if any(isinstance(part, ast.Slice) for part in ast.walk(node.slice)):
            return False
        node = node.value
    return isinstance(node, ast.Name)
