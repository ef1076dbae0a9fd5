"""Arrays with elements of others around them, behind them or beside them: padded, in copies, repeated, rolled."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from itertools import product
from math import prod

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.frontend.python.module import refused
from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.typed_nodes import Typed
from raising.frontend.python.whole_arrays.folds import Making
from raising.frontend.python.whole_arrays.indexing.array_parts import View, added
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one
from raising.frontend.python.whole_arrays.picked import Picked
from raising.frontend.python.whole_arrays.temporaries import Elements
from raising.support.source import Loc

_SOURCES = {"edge": (1, 0, 0), "reflect": (1, 1, 1), "symmetric": (0, 1, 0), "wrap": (0, 1, 0)}
"""For each mode of padding: the elements that it needs besides those it copies, its direction, its first element."""
_COPIES = 64


class Padded(Picked):
    """Makes arrays of copies of elements."""

    def moved(self, view: View, source: ast.expr, extents: Shape, places: Sequence[tuple[ast.expr, ast.expr]]) -> None:
        """Copy a box of elements: `extents` say how large it is, `places` where it begins in the source and here."""
        loc = self.place(source)
        there, here = ([self.size(start) for start in starts] for starts in zip(*places, strict=True))
        self.laid(view, extents, here, lambda at: self.element_of(source, _moved(at, there, loc)), loc)

    def laid(self, view: View, extents: Shape, starts: Sequence[ex.Expr], element: Elements, loc: Loc) -> None:
        """Store `element(at)` at each place of a box, which begins at `starts` in the array."""
        self.fill(view, element, loc, extents, lambda at: _moved(at, starts, loc))

    def pad(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """Zeros around an array, or elements of it; of constant widths."""
        options = self.options(node, given[1:], keywords, "pad_width", "mode", "constant_values")
        mode = getattr(options.get("mode", ast.Constant("constant")), "value", None)
        if mode not in _SOURCES and mode != "constant":
            raise refused(
                self.module, node, f"a mode of padding other than 'constant', {', '.join(map(repr, _SOURCES))}"
            )
        if "constant_values" in options and mode != "constant":
            raise refused(self.module, node, "constant_values of another mode than 'constant'")
        shape = self.shape_of(given[0])
        widths = self._widths(options["pad_width"], len(shape))
        if any(w < 0 for pair in widths for w in pair):
            raise refused(self.module, node, "a negative width of padding")
        extents = tuple(self.sum(node, e, a + b) for e, (a, b) in zip(shape, widths, strict=True))
        loc = self.place(node)

        def make() -> View:
            view = self.temporary(self.kind_of(given[0], len(shape)), extents, node)
            filling = self.keep(self.value(options.get("constant_values", self.at_place(node, 0))))
            self.fill(view, lambda _: filling, loc)
            self.moved(view, given[0], shape, [(self.at_place(node, 0), self.at_place(node, a)) for a, _ in widths])
            for axis, (extent, width) in enumerate(zip(shape, widths, strict=True)):
                if mode != "constant" and width != (0, 0):
                    self._filled_up(view, axis, (extent, *width), mode, node)
            return view

        return Making(extents, make)

    def _filled_up(self, view: View, axis: int, inside: tuple[ast.expr, int, int], mode: str, node: ast.expr) -> None:
        """Fill the elements before and behind the inner box along an axis from elements in it."""
        extent, before, behind = inside
        low, high = self.size(self.at_place(node, before)), self.size(self.sum(node, extent, before))
        least, sign, offset = _SOURCES[mode]
        loc, needed = self.place(node), self.at_place(node, max(before, behind) * (sign != 0) + least)
        self.require(f"an array is long enough to be padded by '{mode}'", extent, needed, node)
        self.ask()
        rest = (*view.extents[:axis], self.at_place(node, 1), *view.extents[axis + 1 :])
        for number in range(before + behind):
            step = -1 - number if number < before else number - before  # from the first element, or behind the last
            edge, other = (low, high) if number < before else (high, low)
            way = offset + sign * (-1 - step if step < 0 else step)
            if mode == "wrap":
                source = added(other, build.integer(step, I64, loc), loc)
            else:
                source = added(edge, build.integer(way if step < 0 else -1 - way, I64, loc), loc)
            target = added(edge, build.integer(step, I64, loc), loc)

            def element(at: list[ex.Expr], source: ex.Expr = source) -> Typed:
                there = self.lvalue(view, _with(at, axis, source), loc)
                return Typed(build.load(there, loc), self.arrays[view.name].kind)

            self.fill(view, element, loc, rest, partial(_with, axis=axis, place=target))

    def rolled_by(self, node: ast.Call, array: ast.expr, axis: int, shift: ast.expr) -> Making:
        """An array whose elements are a computed number of places further along an axis."""
        extents, loc = self.shape_of(array), self.place(node)
        kind = partial(self.prepared_kind, array, len(extents))

        def make() -> View:
            view, zero = self.temporary(kind(), extents, node), build.integer(0, I64, loc)
            length = self.kept(self.size(extents[axis]))
            some = build.compare("gt", length, zero, loc)
            divisor = self.kept(ex.Select(some, length, build.integer(1, I64, loc), I64, loc))
            back = build.unary("neg", self.size(shift), loc)
            first = self.kept(build.binary("floormod", back, divisor, loc, wraps=False))

            def element(at: list[ex.Expr]) -> Typed:
                place = self.kept(build.binary("add", at[axis], first, loc))
                beyond = build.compare("ge", place, length, loc)
                lies = self.kept(ex.Select(beyond, build.binary("sub", place, length, loc), place, I64, loc))
                return self.element_of(array, _with(at, axis, lies))

            self.fill(view, element, loc)
            return view

        return Making(extents, make)

    def tile(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """Copies side by side, as many along each axis."""
        option, shape = self.options(node, given[1:], keywords, "reps")["reps"], self.shape_of(given[0])
        given_counts = option.elts if isinstance(option, ast.Tuple | ast.List) else [option]
        rank, one = max(len(given_counts), len(shape)), self.at_place(node, 1)
        counts = [one] * (rank - len(given_counts)) + [self.length_of(self.canonical(c)) for c in given_counts]
        numbers = [n for n in map(self.module.number, counts) if isinstance(n, int)]
        box = (*(one,) * (rank - len(shape)), *shape)
        if any(n < 0 for n in numbers):
            raise refused(self.module, node, "a negative number of copies")
        extents = tuple(self.times_extent(node, e, c) for e, c in zip(box, counts, strict=True))
        loc = self.place(node)

        def each(at: list[ex.Expr], view: View) -> None:
            places = []
            for copy, index, extent in zip(at[:rank], at[rank:], box, strict=True):
                start = build.binary("mul", copy, self.size(extent), loc)
                places.append(copy if is_one(extent) else added(start, index, loc))
            self.put(view, places, self.element_of(given[0], at[2 * rank - len(shape) :]), loc)

        def make() -> View:
            view = self.temporary(self.kind_of(given[0], len(shape)), extents, node)
            if len(numbers) < rank or prod(numbers) > _COPIES:
                self.over((*counts, *box), view.name, lambda at: each(at, view), loc)
                return view
            for copy in product(*map(range, numbers)):
                starts = [self.times_extent(node, e, self.at_place(node, c)) for e, c in zip(box, copy, strict=True)]
                here = list(map(self.size, starts))
                self.laid(view, box, here, lambda at: self.element_of(given[0], at[rank - len(shape) :]), loc)
            return view

        return Making(extents, make)

    def repeat(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """Each element as often, along an axis."""
        options, shape = self.options(node, given[1:], keywords, "repeats", "axis"), self.shape_of(given[0])
        axis, repeats = self.axis_of(options.get("axis"), len(shape), node), options["repeats"]
        if self.shape_of(repeats):
            raise refused(self.module, node, "each element another number of times: how many there are depends on data")
        count = self.length_of(self.canonical(repeats))
        number, loc = self.module.number(count), self.place(node)
        if isinstance(number, int) and number < 0:
            raise refused(self.module, node, "a negative number of repetitions")
        extents = (*shape[:axis], self.times_extent(node, shape[axis], count), *shape[axis + 1 :])

        def make() -> View:
            view = self.temporary(self.kind_of(given[0], len(shape)), extents, node)
            few = number if isinstance(number, int) and number <= _COPIES else None

            def each(at: list[ex.Expr]) -> None:
                element = self.keep(self.element_of(given[0], at[: len(shape)]))
                start = build.binary("mul", self.size(count), at[axis], loc)
                for k in at[len(shape) :] if few is None else [build.integer(k, I64, loc) for k in range(few)]:
                    self.put(view, [*at[:axis], added(start, k, loc), *at[axis + 1 : len(shape)]], element, loc)

            self.over(shape if few is not None else (*shape, count), view.name, each, loc)
            return view

        return Making(extents, make)

    def _widths(self, node: ast.expr, rank: int) -> list[tuple[int, int]]:
        """The widths that are added before and behind along each axis."""
        if not isinstance(node, ast.Tuple | ast.List):
            return [(self.whole_number(node),) * 2] * rank
        pairs = [p.elts if isinstance(p, ast.Tuple | ast.List) else [] for p in node.elts]
        if len(pairs) == 2 and not any(pairs):
            return [(self.whole_number(node.elts[0]), self.whole_number(node.elts[1]))] * rank
        if len(pairs) != rank or any(len(p) != 2 for p in pairs):
            raise refused(self.module, node, "a width of padding that is no pair for each dimension")
        return [(self.whole_number(a), self.whole_number(b)) for a, b in pairs]

    def times_extent(self, node: ast.expr, a: ast.expr, b: ast.expr) -> ast.expr:
        """A product of extents, in canonical form."""
        return self.canonical(placed(ast.BinOp(a, ast.Mult(), b), node))


def _with(at: Sequence[ex.Expr], axis: int, place: ex.Expr) -> list[ex.Expr]:
    return [*at[:axis], place, *at[axis + 1 :]]


def _moved(at: Sequence[ex.Expr], by: Sequence[ex.Expr], loc: Loc) -> list[ex.Expr]:
    return [added(index, offset, loc) for index, offset in zip(at, by, strict=True)]
