"""Elements that a mask selects, inside of a reduction: `np.sum(x[m] ** 2)` adds `x ** 2` where `m` holds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.python.module import refused
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one
from raising.frontend.python.whole_arrays.temporaries import Temporaries
from raising.support.source import Loc

REDUCTIONS = {
    "sum": "sum", "prod": "prod", "product": "prod", "mean": "mean", "max": "max", "amax": "max", "min": "min",
    "amin": "min", "_mean": "mean", "_any": "max", "_all": "min",
}  # fmt: skip


class Selections(Temporaries):
    """Finds what is selected."""

    def holds(self, mask: ast.expr, at: Sequence[ex.Expr], loc: Loc) -> ex.Expr:
        """Whether a mask selects an element."""
        return build.as_truth(self.element_of(mask, at).node, loc)

    def selected(self, operand: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        """An expression of elements that a mask selects, as `x[mask] ** 2`, without the mask, and the mask."""
        known: tuple[ast.expr, ast.expr] | None = getattr(operand, "selected", None)
        if known is not None:
            return known
        masks = {ast.unparse(s.slice): s.slice for s in self._selections(operand)}
        if not masks:
            return None
        (mask,) = [*masks.values()][:1]
        numbers = self._without(operand, lambda s: ast.copy_location(ast.Constant(0), s))
        whole, shape = self._without(operand, lambda s: s.value), self.shape_of(mask)
        alone = all(is_one(e) for e in self.shape_of(numbers))
        if len(masks) > 1 or not alone or len(self.shape_of(whole)) != len(shape):
            raise refused(self.module, operand, "a selection beside other arrays, or by a mask of fewer dimensions")
        self.shape_of_all([whole, mask], operand)
        operand.selected = whole, mask  # type: ignore[attr-defined]
        return whole, mask

    def _selections(self, node: ast.expr) -> Iterator[ast.Subscript]:
        if isinstance(node, ast.Subscript) and self.is_mask(node.slice):
            yield node
            return
        if self.made_before(node) is not None or self._is_reduction(node):
            return
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from self._selections(part)

    def _is_reduction(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        home, _, name = self.module.dotted(node.func).rpartition(".")
        return name in REDUCTIONS and home == "numpy" or getattr(node.func, "attr", "") in REDUCTIONS

    def _without(self, node: ast.expr, make: Callable[[ast.Subscript], ast.expr]) -> ast.expr:
        """An expression with other nodes in the places of selections; what has none in it stays the same node."""
        if isinstance(node, ast.Subscript) and self.is_mask(node.slice):
            return make(node)
        if not any(True for _ in self._selections(node)):
            return node
        fields = dict(ast.iter_fields(node))
        for name, value in fields.items():
            if isinstance(value, ast.expr):
                fields[name] = self._without(value, make)
            elif isinstance(value, list):
                fields[name] = [self._without(v, make) if isinstance(v, ast.expr) else v for v in value]
        return ast.copy_location(type(node)(**fields), node)
