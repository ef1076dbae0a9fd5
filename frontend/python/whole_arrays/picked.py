"""Elements and rows that arrays of integers name: `x[idx]`, `table[rows, columns]`, `x[:, idx]`."""

from __future__ import annotations

import ast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.frontend.python.module import refused
from raising.frontend.python.whole_arrays.constructed import Constructed
from raising.frontend.python.whole_arrays.folds import Making
from raising.frontend.python.whole_arrays.indexing.array_parts import View
from raising.support.record import dataclass


@dataclass(frozen=True)
class _Pick:
    """The arrays that pick, what they pick from as an expression, and the first axis of it that they stand for."""

    arrays: tuple[ast.expr, ...]
    source: ast.expr
    axis: int


class Picked(Constructed):
    """Makes arrays of what other arrays name."""

    def view(self, node: ast.expr) -> View | None:
        """The part of an array that an expression names; None for other expressions, picked elements among them."""
        if isinstance(node, ast.Subscript) and not self.made_before(node) and self._is_pick(node):
            return None
        return super().view(node)

    def _is_pick(self, node: ast.Subscript) -> bool:
        parts = _parts(node)
        return any(_may_pick(part) and self.shape_of(part) for part in parts) and not self.is_mask(node.slice)

    def picking(self, node: ast.Subscript) -> Making | None:
        """How picked elements are made; None for other subscripts."""
        if not self._is_pick(node):
            return None
        pick = self._pick(node)
        source, picks = self.shape_of(pick.source), self.shape_of_all(pick.arrays, node)
        axis, count, loc = pick.axis, len(pick.arrays), self.place(node)
        extents = (*source[:axis], *picks, *source[axis + count :])

        def make() -> View:
            for array in pick.arrays:
                kind = self.kind_of(array, len(self.shape_of(array)))
                if kind.is_float or kind.is_bool:
                    raise refused(self.module, array, f"an array of {kind.dtype} as a subscript")
            self.prepare(pick.source)
            self.ask()
            view = self.temporary(self.kind_of(pick.source, len(source)), extents, node)

            def each(at: list[ex.Expr]) -> None:
                inside = at[axis : axis + len(picks)]
                places = [build.convert(self.element_of(a, inside).node, I64, loc) for a in pick.arrays]
                there = [*at[:axis], *places, *at[axis + len(picks) :]]
                self.put(view, at, self.element_of(pick.source, there), loc)

            self.over(extents, view.name, each, loc)
            return view

        return Making(extents, make)

    def _pick(self, node: ast.Subscript) -> _Pick:
        known: _Pick | None = getattr(node, "pick", None)
        if known is not None:
            return known
        parts = _parts(node)
        places = [k for k, part in enumerate(parts) if _may_pick(part) and self.shape_of(part)]
        others = [part for k, part in enumerate(parts) if k not in places]
        if any(not isinstance(p, ast.Slice) for p in others) or places[-1] - places[0] >= len(places):
            raise refused(
                self.module, node, "arrays of integers in a subscript, beside other than slices behind or before"
            )
        whole = [ast.Slice() if k in places else part for k, part in enumerate(parts)]
        source = ast.Subscript(node.value, ast.Tuple(list(whole), ast.Load()), ast.Load())
        source = ast.fix_missing_locations(ast.copy_location(source, node))
        node.pick = _Pick(tuple(parts[k] for k in places), source, places[0])  # type: ignore[attr-defined]
        return self._pick(node)


def _parts(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _may_pick(part: ast.expr) -> bool:
    return not isinstance(part, ast.Slice | ast.Constant)
