"""Arguments of calls that are arrays: as they are, or made first."""

from __future__ import annotations

import ast
from functools import partial

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.python.annotations import Shaped, Signature
from raising.frontend.python.module import refused
from raising.frontend.python.types import Kind
from raising.frontend.python.whole_arrays.indexing.array_parts import View
from raising.frontend.python.whole_arrays.rearranged import Rearranged
from raising.frontend.python.whole_arrays.written_memory import may_write

_OF_REAL = ("numpy.real", "numpy.imag", "numpy._conjugate")
"""What gives the memory of an array of real numbers; the last is the method, as the function copies."""


class CallArguments(Rearranged):
    """Translates arguments, and finds their types for functions that have no annotations."""

    fresh = Rearranged.fresh | {"masks": dict}
    masks: dict[int, tuple[ast.expr, bool]]  # by their syntax, whether calls give arrays of truth values

    def argument_type(self, node: ast.expr) -> tuple[Kind, int]:
        """The kind of an argument, and its number of dimensions."""
        rank = len(self.shape_of(node))
        if rank == 0:
            return self.rehearsed(lambda: self.value(node).kind), 0
        return self.rehearsed(lambda: self.prepared_kind(node, rank)), rank

    def is_mask(self, node: ast.expr) -> bool:
        """Whether an expression is an array of truth values, which as a subscript selects elements."""
        if not isinstance(node, ast.Call) or self.made_before(node) is not None:
            return super().is_mask(node)
        if id(node) not in self.masks:
            rank = len(self.shape_of(node))
            self.masks[id(node)] = node, rank > 0 and self.rehearsed(lambda: self.prepared_kind(node, rank)).is_bool
        return self.masks[id(node)][1]

    def argument_shape(self, node: ast.expr) -> Shaped:
        """The kind and the extents of an array that is an argument."""
        if self._is_row(node):
            return super().argument_shape(node)
        shape = self.shape_of(node)
        if not shape:
            raise refused(self.module, node, "this is not an array whose shape is known")
        return Shaped(self.argument_type(node)[0], shape)

    def argument(self, node: ast.expr, signature: Signature, parameter: str) -> ex.Expr:
        """An array for a parameter; any expression but an array or a row is made first, and only read."""
        if self._is_row(node):
            return super().argument(node, signature, parameter)
        shape, wanted = self.argument_shape(node), signature.arrays[parameter]
        if shape.kind.dtype != wanted.kind.dtype or len(shape.extents) != len(wanted.extents):
            raise refused(self.module, node, f"this is not an array of {wanted.kind.dtype} as '{parameter}' is")
        if self.shared(node) and may_write(signature.node, parameter, self.module.functions):
            raise refused(self.module, node, f"a part of an array for parameter '{parameter}', which may be written")
        self.prepare(node)
        self.ask()
        made, loc = self.array_of(shape.kind, shape.extents, partial(self.element_of, node), node), self.place(node)
        return self.pointer(build.name(self.memory(made.name, loc), loc), loc)

    def shared(self, node: ast.expr) -> list[View]:
        """Arrays whose memory an expression may have; another shape, or parts of numbers, are no copy."""
        if isinstance(node, ast.IfExp):
            return [*self.shared(node.body), *self.shared(node.orelse)]
        if isinstance(node, ast.Call) and self.module.dotted(node.func) in _OF_REAL and node.args:
            return self.shared(node.args[0])
        if isinstance(node, ast.Call) and self.making(node) is not None:
            home, _, name = self.module.dotted(node.func).rpartition(".")
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("reshape", "ravel"):
                return self.shared(node.args[0] if (home, name) == ("numpy", node.func.attr) else node.func.value)
        view, whole = self.view(node), node
        while not self.made_before(whole) and (outer := self.whole_of_part(whole)) is not None:
            whole = outer
        return [] if view is None or self.made_before(whole) else [view]

    def _is_row(self, node: ast.expr) -> bool:
        """True for an array, or a row of one."""
        while isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if any(isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value in (None, ...)) for p in parts):
                return False
            node = node.value
        return isinstance(node, ast.Name)
