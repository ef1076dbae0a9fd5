"""Elements and rows that arrays of integers name: `x[idx]`, `table[rows, columns]`, `x[:, idx]`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.frontend.python.module import refused
from raising.frontend.python.numpy_library.made_syntax import once, placed
from raising.frontend.python.whole_arrays.constructed import Constructed
from raising.frontend.python.whole_arrays.folds import Making
from raising.frontend.python.whole_arrays.indexing.array_parts import View
from raising.frontend.python.whole_arrays.indexing.array_shapes import subscripts
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.support.record import dataclass


@dataclass(frozen=True)
class Pick:
    """The arrays that pick, what they pick from as an expression, and the first axis of it that they stand for."""

    arrays: tuple[ast.expr, ...]
    source: ast.expr
    axis: int


class Picked(Constructed):
    """Makes arrays of what other arrays name."""

    def view(self, node: ast.expr) -> View | None:
        """The part of an array that an expression names; None for other expressions, picked elements among them."""
        if isinstance(node, ast.Subscript) and not self.made_before(node) and self.picks(node):
            return None
        return super().view(node)

    def picks(self, node: ast.Subscript) -> bool:
        """Whether there are arrays of integers among the subscripts."""
        return any(_may_pick(part) and self.shape_of(part) for part in subscripts(node)) and not self.selects(node)

    def picking(self, node: ast.Subscript) -> Making | None:
        """How picked elements are made; None for other subscripts."""
        if not self.picks(node):
            return None
        pick = self.picked(node)
        extents = self.picked_extents(pick)

        def make() -> View:
            self.prepare(pick.source)
            self.ask()
            kind = self.kind_of(pick.source, len(self.shape_of(pick.source)))
            return self.array_of(
                kind, extents, lambda at: self.element_of(pick.source, self.picked_place(pick, at)), node
            )

        return Making(extents, make)

    def picked_extents(self, pick: Pick) -> Shape:
        """The extents of what is picked."""
        source, picks = self.shape_of(pick.source), self.shape_of_all(pick.arrays, pick.source)
        return (*source[: pick.axis], *picks, *source[pick.axis + len(pick.arrays) :])

    def picked_place(self, pick: Pick, at: Sequence[ex.Expr]) -> list[ex.Expr]:
        """Where an element lies in what it is picked from."""
        axis, rank = pick.axis, len(self.shape_of_all(pick.arrays, pick.source))
        extents = self.shape_of(pick.source)
        places: list[ex.Expr] = []
        for array in pick.arrays:
            extent = extents[axis + len(places)]
            if not self.shape_of(array):
                number = self.located(None, partial(self.index, array, extent))
                places.append(self.kept(build.convert(number, I64, self.place(array))))
                continue
            found = self.element_of(array, at[axis : axis + rank])
            if found.kind.is_float or found.kind.is_bool:
                raise refused(self.module, array, f"an array of {found.kind.dtype} as a subscript")
            lies = self.from_end(found.node, extent, self.place(array))
            places.append(self.kept(build.convert(lies, I64, self.place(array))))
        return [*at[:axis], *places, *at[axis + rank :]]

    def picked(self, node: ast.Subscript) -> Pick:
        """The array that is picked from, and the arrays of subscripts."""
        return once(node, "pick", partial(self._picked, node))

    def _picked(self, node: ast.Subscript) -> Pick:
        parts = subscripts(node)
        places = [k for k, part in enumerate(parts) if _may_pick(part)]
        others = [part for k, part in enumerate(parts) if k not in places]
        if any(not isinstance(p, ast.Slice) for p in others) or places[-1] - places[0] >= len(places):
            raise refused(
                self.module, node, "arrays of integers in a subscript, beside other than slices behind or before"
            )
        whole = [ast.Slice() if k in places else part for k, part in enumerate(parts)]
        source = ast.Subscript(node.value, ast.Tuple(list(whole), ast.Load()), ast.Load())
        return Pick(tuple(parts[k] for k in places), placed(source, node), places[0])


def _may_pick(part: ast.expr) -> bool:
    return not isinstance(part, ast.Slice) and not (isinstance(part, ast.Constant) and part.value in (None, ...))
