"""Shapes of expressions, and the parts of arrays that some of them name: by subscripts, or transposed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.frontend.python.module import refused
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.whole_arrays.indexing.array_parts import Along, View
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.slices_of_arrays import Slices
from raising.support.source import Loc

T = TypeVar("T")


class Shapes(Slices):
    """Finds what expressions name, and their shapes."""

    at: tuple[ex.Expr, ...] | None = None  # the indices of the element that is translated; None in numbers

    def located(self, at: Sequence[ex.Expr] | None, make: Callable[[], T]) -> T:
        """What `make` gives, where arrays stand for their elements at these indices."""
        outer, self.at = self.at, None if at is None else tuple(at)
        try:
            return make()
        finally:
            self.at = outer

    def made_before(self, node: ast.expr) -> View | Typed | None:
        """What an expression was made as before the loops that it stands in."""
        known = self.made.get(id(node))
        return known[1] if known is not None else None

    # ---- parts of arrays ---------------------------------------------------------------------------

    def view(self, node: ast.expr) -> View | None:
        """The part of an array that an expression names; None for other expressions."""
        made = self.made_before(node)
        if isinstance(made, View):
            return made
        if isinstance(node, ast.Name):
            return self.whole(node.id, self.place(node)) if node.id in self.arrays else None
        whole = self.whole_of_part(node)
        base = None if whole is None else self.view(whole)
        return None if base is None else self.part_of(base, node)

    def whole_of_part(self, node: ast.expr) -> ast.expr | None:
        """The array of which an expression names a part, or the elements in another order."""
        if isinstance(node, ast.Subscript):
            return None if self.selects(node) else node.value
        return node.value if isinstance(node, ast.Attribute) and node.attr == "T" else None

    def part_of(self, base: View, node: ast.expr) -> View:
        """What an expression names of its whole."""
        return self._indexed(base, node, self.place(node)) if isinstance(node, ast.Subscript) else base.transposed

    def selects(self, node: ast.Subscript) -> bool:
        """Whether there is a mask among the subscripts."""
        return any(map(self.is_mask, subscripts(node)))

    def is_mask(self, node: ast.expr) -> bool:
        """Whether an expression is an array of truth values, which as a subscript selects elements."""
        made = self.made_before(node)
        if made is not None:
            return isinstance(made, View) and self.arrays[made.name].kind.is_bool
        match node:
            case ast.Name(id=name):
                return name in self.arrays and self.arrays[name].kind.is_bool
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() | ast.BitXor(), right=right):
                return self.is_mask(left) or self.is_mask(right)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self.is_mask(operand)
        return isinstance(node, ast.Compare) and bool(self.shape_of(node))

    def whole(self, name: str, loc: Loc) -> View:
        """An array as it is."""
        extents = tuple(self.canonical(e) for e in self.arrays[name].extents)
        return View(name, tuple(Along(build.integer(0, I64, loc), 1, k) for k in range(len(extents))), extents)

    def _indexed(self, base: View, node: ast.Subscript, loc: Loc) -> View:
        """A part of a part, by subscripts."""
        parts = subscripts(node)
        rest = len(base.extents) - sum(not (_is(p, None) or _is(p, ...)) for p in parts)
        omitted = [k for k, p in enumerate(parts) if _is(p, ...)]
        if rest < 0 or len(omitted) > 1:
            raise refused(self.module, node, f"more subscripts than dimensions of array '{base.name}'")
        first = omitted[0] if omitted else len(parts)
        along: list[Along] = []
        extents: list[ast.expr] = []
        for part in (*parts[:first], *[ast.Constant(...)] * rest, *parts[first + 1 :]):
            if _is(part, None):
                extents.append(ast.copy_location(ast.Constant(1), part))
                continue
            extent = base.extents[len(along)]
            if _is(part, ...):
                along.append(Along(build.integer(0, I64, loc), 1, len(extents)))
                extents.append(extent)
            elif isinstance(part, ast.Slice):
                start, step, length = self.sliced(part, extent)
                along.append(Along(self.size(start), step, len(extents)))
                extents.append(length)
            else:
                along.append(Along(self._subscript_of(part, extent, loc)))
        return base.part(along, tuple(extents), loc)

    def _subscript_of(self, part: ast.expr, extent: ast.expr, loc: Loc) -> ex.Expr:
        if self.shape_of(part):
            mask = "a selection outside of reductions and assignments: how many elements it has depends on data"
            raise refused(self.module, part, mask if self.is_mask(part) else "a subscript that is an array")
        return self.located(None, lambda: build.convert(self.index(part, extent), I64, loc))

    # ---- shapes ------------------------------------------------------------------------------------

    def shape_of(self, node: ast.expr) -> Shape:
        """The extents of an expression; none for a number."""
        if isinstance(self.made_before(node), Typed):
            return ()
        view = self.view(node)
        if view is not None:
            return view.extents
        match node:
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                return self.shape_of_all([left, right], node)
            case ast.UnaryOp(op=ast.Not(), operand=operand) | ast.IfExp(test=operand) if self.shape_of(operand):
                raise refused(self.module, operand, "a whole array as a condition")
            case ast.UnaryOp(operand=operand):
                return self.shape_of(operand)
            case ast.IfExp(body=body, orelse=orelse):
                return self._either_shape(body, orelse, node)
            case ast.Call():
                return self.shape_of_call(node)
        return ()

    def shape_of_all(self, nodes: Sequence[ast.expr], place: ast.expr) -> Shape:
        """The common extents of several expressions."""
        return self.broadcast(*[self.shape_of(n) for n in nodes], place=place)

    def _either_shape(self, body: ast.expr, orelse: ast.expr, node: ast.expr) -> Shape:
        """The extents of what a condition chooses: nothing is spread to them."""
        shapes = self.shape_of(body), self.shape_of(orelse)
        if len(shapes[0]) != len(shapes[1]):
            raise refused(self.module, node, "arrays of several numbers of dimensions, as a condition decides")
        return tuple(self.joined_extent(a, b, node, spread=False) for a, b in zip(*shapes, strict=True))

    def shape_of_call(self, node: ast.Call) -> Shape:
        """The extents of what a function of elements gives."""
        method = self.method(node)
        if method is not None:
            return self.shape_of(method.value)
        found = self.shape_of_all(node.args, node)
        if self.extent(node) is not None:
            return ()
        name = self.module.dotted(node.func)
        if found and not name.startswith("numpy.") and name != "abs":
            raise refused(self.module, node, f"calls '{name or '...'}' with a whole array")
        return found

    def method(self, node: ast.Call) -> ast.Attribute | None:
        """What a call names of an array, or of an array expression; None for calls of functions."""
        function = node.func
        if not isinstance(function, ast.Attribute):
            return None
        return function if self.view(function.value) is not None or not self.module.dotted(function) else None


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def subscripts(node: ast.Subscript) -> list[ast.expr]:
    """The parts of a subscript."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
