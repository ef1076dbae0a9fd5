"""Elements that a mask selects, inside of reductions and assignments.

`np.sum(x[m] ** 2)` adds `x ** 2` where `m` holds, and `x[m] = y[m] / 2` is `x[...] = np.where(m, y / 2, x)`. A mask of
rows goes with all elements of a row.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.python.module import refused
from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.whole_arrays.indexing.array_shapes import subscripts
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one
from raising.frontend.python.whole_arrays.temporaries import Temporaries
from raising.support.record import dataclass
from raising.support.source import Loc

REDUCTIONS = {
    "sum": "sum", "prod": "prod", "product": "prod", "mean": "mean", "max": "max", "amax": "max", "min": "min",
    "amin": "min", "_mean": "mean", "_any": "max", "_all": "min",
}  # fmt: skip


@dataclass(frozen=True)
class Selection:
    """Elements of an array expression, `whole`, at the places where a mask holds.

    The mask has a dimension for each of the whole, of which in the source, as `text` says, it has `rank`, behind
    `first` others and in front of `behind`. If it is `moved`, numbers beside it change the order of dimensions.
    """

    whole: ast.expr
    mask: ast.expr
    text: str
    rank: int
    first: int
    behind: int
    moved: bool = False

    def goes_with(self, other: Selection) -> bool:
        """Whether both have the same places, one dimension for these, and no other order of dimensions."""
        mine, others = ((s.text, s.first, s.behind) for s in (self, other))
        return mine == others and not self.moved and not other.moved


class Selections(Temporaries):
    """Finds what is selected."""

    def holds(self, mask: ast.expr, at: Sequence[ex.Expr], loc: Loc) -> ex.Expr:
        """Whether a mask selects an element."""
        return build.as_truth(self.element_of(mask, at).node, loc)

    def selection(self, node: ast.expr) -> Selection | None:
        """What `A[mask]`, `A[mask, 1:]` or `A[:, mask]` selects; None for other expressions."""
        if not isinstance(node, ast.Subscript) or not self.selects(node):
            return None
        found: Selection | None = getattr(node, "selection", None)
        if found is None:
            found = node.selection = self._selection(node)  # type: ignore[attr-defined]
        shape, mask = self.shape_of(found.whole), self.shape_of(found.mask)
        for k in range(found.first, found.first + found.rank):
            self.joined_extent(shape[k], mask[k - found.first], node, spread=False)
        return found

    def _selection(self, node: ast.Subscript) -> Selection:
        parts = subscripts(node)
        places = [k for k, p in enumerate(parts) if self.is_mask(p)]
        mask, others = parts[places[0]], [p for k, p in enumerate(parts) if k not in places]
        numbers = [p for p in others if not isinstance(p, ast.Slice)]
        added = any(isinstance(p, ast.Constant) and p.value in (None, ...) for p in numbers)
        if len(places) > 1 or added or any(map(self.shape_of, numbers)):
            raise refused(self.module, node, "a mask beside other than slices and numbers")
        rank, before = len(self.shape_of(mask)), parts[: places[0]]
        whole, wide = node.value, mask
        if others:
            inside = [*before, *[ast.Slice() for _ in range(rank)], *parts[places[0] + 1 :]]
            whole = placed(ast.Subscript(node.value, ast.Tuple(inside, ast.Load()), ast.Load()), node)
        first = sum(isinstance(p, ast.Slice) for p in before)
        behind = len(self.shape_of(whole)) - first - rank
        if behind < 0:
            raise refused(self.module, mask, "a mask of more dimensions than its array")
        if behind:
            new: list[ast.expr] = [ast.Constant(...), *[ast.Constant(None) for _ in range(behind)]]
            wide = placed(ast.Subscript(mask, ast.Tuple(new, ast.Load()), ast.Load()), mask)
        return Selection(whole, wide, ast.unparse(mask), rank, first, behind, bool(numbers and (first or behind)))

    def selected(self, operand: ast.expr) -> Selection | None:
        """An expression of elements that a mask selects, as `x[mask] ** 2`; None for other expressions."""
        known: Selection | None = getattr(operand, "selected", None)
        each = [s for s in map(self.selection, self._selections(operand)) if s is not None]
        if not each or known is not None:
            return known
        numbers = self.shape_of(self._without(operand, lambda s: ast.copy_location(ast.Constant(0), s)))
        whole = self._without(operand, self._whole)
        found = replace(each[0], whole=whole)
        alone = all(is_one(e) for e in numbers[: max(0, len(numbers) - found.behind)])
        ranks = {len(self.shape_of(s.whole)) for s in (found, *each)}
        if len(ranks) > 1 or not alone or not all(found.goes_with(s) for s in each):
            raise refused(self.module, operand, "a selection beside other arrays, or by several masks")
        operand.selected = found  # type: ignore[attr-defined]
        return found

    def _whole(self, node: ast.Subscript) -> ast.expr:
        found = self.selection(node)
        assert found is not None
        return found.whole

    def check_axes(self, selection: Selection, axes: Sequence[int], keeps: bool, node: ast.expr) -> None:
        """`Refused` where a reduction keeps the dimension along which elements are selected."""
        rank, first = selection.rank, selection.first
        whole = not keeps and len(axes) == len(self.shape_of(selection.whole))
        if not {*range(first, first + rank)} <= {*axes} or rank > 1 and not whole:
            raise refused(self.module, node, "a reduction of a selection along other axes than that of the mask")

    def _selections(self, node: ast.expr) -> Iterator[ast.Subscript]:
        if isinstance(node, ast.Subscript) and self.selects(node):
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
        if isinstance(node, ast.Subscript) and self.selects(node):
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
