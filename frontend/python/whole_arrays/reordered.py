"""Parts of arrays that NumPy's functions name, and that copy nothing: transposed, flipped, with axes swapped."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import cast

from raising.frontend.core import build
from raising.frontend.core.types import I64
from raising.frontend.python.module import refused
from raising.frontend.python.whole_arrays.folds import Folds
from raising.frontend.python.whole_arrays.indexing.array_parts import Along, View
from raising.frontend.python.whole_arrays.indexing.canonical_extents import calculated, is_one, polynomial


class Reordered(Folds):
    """Finds parts of arrays, and reads the options of calls."""

    def options(
        self, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr], *names: str
    ) -> dict[str, ast.expr]:
        """The arguments behind the first by their names; `Refused` for others."""
        found = dict(zip(names, given, strict=False)) | keywords
        if len(given) > len(names) or keywords.keys() - {*names}:
            raise refused(self.module, node, f"of its options only {', '.join(names) or 'none'} can be given here")
        return found

    def axis_of(self, option: ast.expr | None, rank: int, node: ast.expr) -> int:
        """A constant axis; that of a vector where none is given."""
        if option is None or (isinstance(option, ast.Constant) and option.value is None):
            if rank == 1:
                return 0
            raise refused(self.module, node, "an array of several dimensions without a constant axis")
        if isinstance(option, ast.Tuple):
            raise refused(self.module, node, "several axes where there is to be one")
        return self.axes(option, rank, node)[0]

    def axes_in_order(self, option: ast.expr | None, rank: int, node: ast.expr) -> list[int]:
        """One constant axis or several, none twice, in the order in which they are given."""
        given = option.elts if isinstance(option, ast.Tuple | ast.List) else [option]
        found = [self.axis_of(one, rank, node) for one in given]
        if len(set(found)) < len(found):
            raise refused(self.module, node, "an axis that is given twice")
        return found

    def whole_number(self, node: ast.expr) -> int:
        """A constant integer, or a variable that is one."""
        number = self.module.number(node)
        if number is None and (form := polynomial(node, self.meaning)) is not None:
            number = form.constant
        if not isinstance(number, int):
            raise refused(self.module, node, "this has to be a constant integer")
        return number

    def sum(self, node: ast.expr, extent: ast.expr, by: int | ast.expr) -> ast.expr:
        """An extent and what is added to it, in canonical form."""
        return self.canonical(calculated(extent, ast.Add(), by, node))

    # ---- parts in another order --------------------------------------------------------------------

    def whole_of_part(self, node: ast.expr) -> ast.expr | None:
        """The array of which an expression names a part; `flip`, `transpose` and new axes name one, too."""
        reordering = self._reordering(node)
        if reordering is None:
            return super().whole_of_part(node)
        name, operand, _ = reordering
        return None if name == "diag" and len(self.shape_of(operand)) == 1 else operand

    def part_of(self, base: View, node: ast.expr) -> View:
        """What an expression names of its whole."""
        reordering = self._reordering(node)
        if reordering is None:
            return super().part_of(base, node)
        name, _, given = reordering
        keywords = {k.arg or "": k.value for k in cast(ast.Call, node).keywords}
        return _REORDERED[name](self, base, node, given, keywords)

    def _reordering(self, node: ast.expr) -> tuple[str, ast.expr, Sequence[ast.expr]] | None:
        """The name, the operand and the further arguments of a call of `_REORDERED`."""
        if not isinstance(node, ast.Call):
            return None
        home, _, name = self.module.dotted(node.func).rpartition(".")
        if home == "numpy" and name in _REORDERED and node.args:
            return name, node.args[0], node.args[1:]
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and home != "numpy":
            return node.func.attr, node.func.value, node.args
        return None

    def _transposed(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        rank = len(base.extents)
        order = list(given) if len(given) > 1 else list(given) + list(keywords.values())
        if len(order) == 1 and isinstance(order[0], ast.Tuple | ast.List):
            order = order[0].elts
        if not order:
            return base.transposed
        axes = [self.whole_number(a) % rank for a in order]
        if sorted(axes) != list(range(rank)):
            raise refused(self.module, node, "axes that are not each of the dimensions once")
        return base.reordered(axes)

    def _swapped(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        rank, options = len(base.extents), self.options(node, given, keywords, "axis1", "axis2")
        one, other = (self.axis_of(options.get(name), rank, node) for name in ("axis1", "axis2"))
        order = list(range(rank))
        order[one], order[other] = other, one
        return base.reordered(order)

    def _moved_axis(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        rank, options = len(base.extents), self.options(node, given, keywords, "source", "destination")
        source, destination = (self.axes_in_order(options.get(name), rank, node) for name in ("source", "destination"))
        if len(source) != len(destination):
            raise refused(self.module, node, "another number of axes than of places for them")
        order = [k for k in range(rank) if k not in source]
        for place, axis in sorted(zip(destination, source, strict=True)):
            order.insert(place, axis)
        return base.reordered(order)

    def _at_least(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        """`atleast_2d`: a vector is a row."""
        return self._expanded(base, node, given, keywords) if len(base.extents) == 1 else base

    def _flipped(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        axis = self.options(node, given, keywords, "axis").get("axis")
        axes, loc = self.axes(axis, len(base.extents), node), self.place(node)
        along = []
        for k, extent in enumerate(base.extents):
            last = self.size(self.sum(node, extent, -1)) if k in axes else build.integer(0, I64, loc)
            along.append(Along(last, -1 if k in axes else 1, k))
        return base.part(along, base.extents, loc)

    def _diagonal(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        """The elements whose indices differ by `k`: as many as the shorter side has from there on."""
        name = "offset" if ast.unparse(cast(ast.Call, node).func).endswith("diagonal") else "k"
        offset = self.whole_number(self.options(node, given, keywords, name).get(name, ast.Constant(0)))
        if len(base.extents) != 2:
            raise refused(self.module, node, "a diagonal of other than a matrix")
        starts, loc = (max(-offset, 0), max(offset, 0)), self.place(node)
        lengths = [self.sum(node, e, -start) for e, start in zip(base.extents, starts, strict=True)]
        height, width = (polynomial(e, self.meaning) for e in lengths)
        gap = None if height is None or width is None else (height - width).constant
        if gap is None:
            raise refused(self.module, node, "the diagonal of a matrix that is not known to be square")
        along = [Along(build.integer(start, I64, loc), 1, 0) for start in starts]
        return base.part(along, (lengths[0 if gap <= 0 else 1],), loc)

    def _squeezed(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        """Without axes whose extent is 1: those that are given, else all, where every extent is known."""
        option, loc = self.options(node, given, keywords, "axis").get("axis"), self.place(node)
        one, rank = ast.copy_location(ast.Constant(1), node), len(base.extents)
        ones = [k for k, e in enumerate(base.extents) if is_one(e)]
        if option is None and not all(isinstance(e, ast.Constant) for e in base.extents):
            raise refused(self.module, node, "np.squeeze of lengths that are not known; name the axis")
        gone = ones if option is None else self.axes(option, rank, node)
        for k in gone:
            self.require_equal("an axis that is taken away has one element", one, base.extents[k], node)
        kept = [k for k in range(rank) if k not in gone]
        zero = build.integer(0, I64, loc)
        along = [Along(zero) if k in gone else Along(zero, 1, kept.index(k)) for k in range(rank)]
        return base.part(along, tuple(base.extents[k] for k in kept), loc)

    def _expanded(self, base: View, node: ast.expr, given: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> View:
        """With new axes of one element: that of `axis` or several, or a first one."""
        option, loc = self.options(node, given, keywords, "axis").get("axis"), self.place(node)
        rank = len(base.extents) + (len(option.elts) if isinstance(option, ast.Tuple | ast.List) else 1)
        new = [0] if option is None else self.axes_in_order(option, rank, node)
        kept = [k for k in range(rank) if k not in new]
        zero, one = build.integer(0, I64, loc), ast.copy_location(ast.Constant(1), node)
        extents = [one if k in new else base.extents[kept.index(k)] for k in range(rank)]
        return base.part([Along(zero, 1, k) for k in kept], tuple(extents), loc)


_METHODS = ("transpose", "swapaxes", "squeeze", "diagonal")
_REORDERED: dict[str, Callable[..., View]] = {
    "squeeze": Reordered._squeezed,
    "expand_dims": Reordered._expanded,
    "transpose": Reordered._transposed,
    "swapaxes": Reordered._swapped,
    "moveaxis": Reordered._moved_axis,
    "atleast_2d": Reordered._at_least,
    "flip": Reordered._flipped,
    **dict.fromkeys(("diag", "diagonal"), Reordered._diagonal),
}
