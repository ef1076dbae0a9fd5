"""Arrays that NumPy's functions make of numbers: filled, the identity, ranges, diagonals and triangles."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from math import ceil, prod

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.frontend.python.module import Number, refused
from raising.frontend.python.numpy_library.made_syntax import expression, written
from raising.frontend.python.typed_nodes import Typed, chosen, constant
from raising.frontend.python.types import INT, Kind, of_both
from raising.frontend.python.variables.scopes import mentioned
from raising.frontend.python.whole_arrays.folds import Making
from raising.frontend.python.whole_arrays.indexing.array_parts import View, added
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one
from raising.frontend.python.whole_arrays.reordered import Reordered
from raising.frontend.python.whole_arrays.temporaries import Elements


class Constructed(Reordered):
    """Makes arrays of numbers."""

    def at_place(self, node: ast.expr, value: int) -> ast.expr:
        """A constant at the place of an expression."""
        return ast.copy_location(ast.Constant(value), node)

    def of_elements(self, node: ast.expr, extents: Shape, kind: Callable[[], Kind], element: Elements) -> Making:
        """How an array with `element(at)` at each place is made; its kind is asked for when it is."""
        return Making(extents, lambda: self.array_of(kind(), extents, element, node))

    def filled(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`zeros`, `ones`, `full` and their `_like`."""
        name = self.module.dotted(node.func).rpartition(".")[2]
        shape = self.made_shape(name, node)
        extents = tuple(self.canonical(e) for e in shape.extents)
        loc = self.place(node)

        def make() -> View:
            value = self.value(given[1]) if name.startswith("full") else constant(int(name.startswith("ones")), loc)
            value = self.keep(value)
            return self.array_of(shape.kind, extents, lambda at: value, node)

        return Making(extents, make)

    def listed(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`array` of numbers in lists, or of arrays; of one array it is a copy."""
        leaves = _leaves(given[0], ())
        shapes = [self.shape_of(leaf) for _, leaf in leaves]
        shape = _lengths(given[0])
        if any(len(place) != len(shape) for place, _ in leaves) or len(leaves) != prod(shape) or keywords:
            raise refused(self.module, node, "an array of lists of several lengths")
        inner = shapes[0] if shapes else ()
        if not shape and not inner:
            raise refused(self.module, node, "an array without dimensions; a number does as well")
        for other in shapes:
            if len(other) != len(inner):
                raise refused(self.module, node, "an array of arrays of several numbers of dimensions")
            inner = tuple(self.joined_extent(a, b, node, spread=False) for a, b in zip(inner, other, strict=True))
        extents, loc = (*(self.at_place(node, n) for n in shape), *inner), self.place(node)

        def make() -> View:
            kinds = [Kind(self.kind_of(leaf, len(inner)).dtype) for _, leaf in leaves]
            kind = reduce(of_both, kinds) if kinds else Kind("float64")
            view = self.temporary(kind, extents, node)
            self.ask()
            for place, leaf in leaves:
                first = [build.integer(n, I64, loc) for n in place]
                self.fill(view, partial(self.element_of, leaf), loc, inner, partial(operator.add, first))
            return view

        return Making(extents, make)

    def at_least(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`atleast_1d`: of a number, an array of one element."""
        if isinstance(given[0], ast.List | ast.Tuple):
            return self.listed(node, given, keywords)
        shape, rank = self.shape_of(given[0]), len(self.shape_of(given[0]))
        kind = partial(self.prepared_kind, given[0], rank)
        extents = shape or (self.at_place(node, 1),)
        return self.of_elements(node, extents, kind, lambda at: self.element_of(given[0], at[:rank]))

    def spread(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`broadcast_to`: an array repeated to a shape."""
        wanted = self.options(node, given[1:], keywords, "shape").get("shape")
        extents = tuple(map(self.canonical, self.lengths([wanted] if wanted else [])))
        shape, kind = self.shape_of(given[0]), partial(self.prepared_kind, given[0], len(extents))
        if len(shape) > len(extents):
            raise refused(self.module, node, f"{len(shape)} dimensions are no {len(extents)}")
        for own, extent in zip(shape[::-1], extents[::-1], strict=False):
            if not is_one(own):
                self.joined_extent(extent, own, node, spread=False)
        return self.of_elements(node, extents, kind, lambda at: self.element_of(given[0], at))

    def each(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`_each(k, n, element)` of a list: the elements for each `k` below `n`, which may be such arrays."""
        loops, element = _loops(node)
        self.kinds.update(dict.fromkeys(loops, INT))
        inner, loc = self.shape_of(element), self.place(node)
        extents = (*map(self.canonical, loops.values()), *inner)
        if mentioned(extents) & loops.keys():
            raise refused(self.module, node, "a list of arrays of several lengths")

        def make() -> View:
            kind = self.rehearsed(lambda: self.prepared_kind(element, len(inner)))
            view, outer = self.temporary(kind, extents, node), dict(self.counting)
            counters = {k: self.counter(k, loc) for k in loops}
            self.counting.update(counters)
            places = ast.Tuple([ast.Name(k, ast.Load()) for k in loops], ast.Load())
            (store,) = written("array[places] = element", node, array=view.name, places=places, element=element)
            lengths = [self.size(length) for length in loops.values()]
            stored = partial(self.located, None, partial(self.statement, store))
            self.count_all([*counters.values()], lengths, stored, loc)
            self.counting = outer
            return view

        return Making(extents, make)

    def prepared_kind(self, node: ast.expr, rank: int) -> Kind:
        """The kind of an array expression of which nothing was made so far."""
        self.prepare(node)
        return Kind(self.kind_of(node, rank).dtype)

    def statement(self, node: ast.stmt) -> None:
        """Translate a statement."""
        raise NotImplementedError

    def eye(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`eye` and `identity`: ones where the second index is `k` more than the first."""
        identity = self.module.dotted(node.func).endswith("identity")
        options = self.options(node, given[1:], keywords, *(("dtype",) if identity else ("M", "k", "dtype")))
        offset = self.whole_number(options.get("k", self.at_place(node, 0)))
        kind = self.dtype(options.get("dtype"), node) or Kind("float64")
        extents = (self.canonical(given[0]), self.canonical(options.get("M", given[0])))
        loc = self.place(node)

        def element(at: list[ex.Expr]) -> Typed:
            same = build.compare("eq", added(at[0], build.integer(offset, I64, loc), loc), at[1], loc)
            return chosen(same, constant(1, loc), constant(0, loc), kind, loc)

        return self.of_elements(node, extents, lambda: kind, element)

    def triangle(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`triu` and `tril`: what lies beyond the `k`-th diagonal is 0."""
        options, extents = self.options(node, given[1:], keywords, "k"), self.shape_of(given[0])
        offset = self.whole_number(options.get("k", self.at_place(node, 0)))
        if len(extents) < 2:
            raise refused(self.module, node, "a triangle of an array of less than two dimensions")
        upper, loc = self.module.dotted(node.func).endswith("triu"), self.place(node)

        kind = partial(self.kind_of, given[0], len(extents))

        def element(at: list[ex.Expr]) -> Typed:
            edge = added(at[-2], build.integer(offset, I64, loc), loc)
            inside = build.compare("ge" if upper else "le", at[-1], edge, loc)
            return chosen(inside, self.element_of(given[0], at), constant(0, loc), kind(), loc)

        return self.of_elements(node, extents, kind, element)

    def diagonal_matrix(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making | None:
        """`diag` of a vector; None of a matrix, which has its diagonal in its own memory."""
        shape, loc = self.shape_of(given[0]), self.place(node)
        if len(shape) != 1:
            return None
        offset = self.options(node, given[1:], keywords, "k").get("k", self.at_place(node, 0))
        side = self.sum(node, shape[0], abs(self.whole_number(offset)))
        starts = [build.integer(max(sign * self.whole_number(offset), 0), I64, loc) for sign in (-1, 1)]

        def make() -> View:
            kind, zero = self.kind_of(given[0], 1), constant(0, loc)
            view = self.array_of(kind, (side, side), lambda at: zero, node)
            element = partial(self.element_of, given[0])
            self.fill(view, element, loc, shape, lambda at: [added(at[0], start, loc) for start in starts])
            return view

        return Making((side, side), make)

    def arange(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`arange` of integers by a constant step, or of floats that are constants."""
        options = self.options(node, (), keywords, "dtype")
        low, high = (given[0], given[1]) if len(given) > 1 else (ast.copy_location(ast.Constant(0), node), given[0])
        numbers = [self.module.number(n) for n in (low, high, *given[2:3])]
        if any(isinstance(n, float) for n in numbers):
            return self._of_floats(node, numbers, options)
        step = self.whole_number(given[2]) if len(given) > 2 else 1
        if step == 0:
            raise refused(self.module, node, "a step of 0")
        text = f"({'high - low' if step > 0 else 'low - high'} + {abs(step) - 1}) // {abs(step)}"
        extents = (self.canonical(expression(text, node, high=high, low=low)),)
        if isinstance(length := self.module.number(extents[0]), int):
            extents = (self.at_place(node, max(0, length)),)
        kind, loc = self.dtype(options.get("dtype"), node) or Kind("int64"), self.place(node)

        def make() -> View:
            start = self.size(low)

            def element(at: list[ex.Expr]) -> Typed:
                steps = build.binary("mul", build.integer(step, I64, loc), at[0], loc) if step != 1 else at[0]
                return Typed(added(start, steps, loc), INT)

            return self.array_of(kind, extents, element, node)

        return Making(extents, make)

    def _of_floats(self, node: ast.Call, numbers: Sequence[Number | None], options: dict[str, ast.expr]) -> Making:
        """`arange` of floats: the first one, and as many steps as NumPy counts."""
        known, kind, loc = [n for n in numbers if n is not None], Kind("float64"), self.place(node)
        if len(known) < len(numbers) or (self.dtype(options.get("dtype"), node) or kind) != kind:
            raise refused(self.module, node, "an arange of floats that are not known, or of another type")
        low, high, step = (*known, 1) if len(known) == 2 else known
        if step == 0:
            raise refused(self.module, node, "a step of 0")
        second = float(low) + step
        extents = (self.at_place(node, max(0, ceil((high - low) / step))),)

        def element(at: list[ex.Expr]) -> Typed:
            first, by = (constant(n, loc).converted(kind, loc) for n in (float(low), second - low))
            steps = build.binary("mul", build.convert(at[0], kind.core, loc), by, loc)
            return Typed(build.binary("add", first, steps, loc), kind)

        return self.of_elements(node, extents, lambda: kind, element)

    def linspace(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`linspace` of numbers: the last element is the end as it is given, unless that is left out."""
        options = self.options(node, given[1:], keywords, "stop", "num", "endpoint", "dtype")
        count, loc = self.canonical(options.get("num", self.at_place(node, 50))), self.place(node)
        ends_ = options.get("endpoint", ast.Constant(True))
        wanted = self.dtype(options.get("dtype"), node)
        if not isinstance(ends_, ast.Constant) or wanted is not None and not wanted.is_float:
            raise refused(self.module, node, "linspace of other than floats, or with an end as data decides")
        with_end = bool(ends_.value)

        def make() -> View:
            ends = [self.keep(v) for v in self.values([given[0], options["stop"]])]
            kind = of_both(ends[0].kind, ends[1].kind)
            kind = Kind("float64") if kind.weak or not kind.is_float else kind
            if wanted is not None and wanted != kind:
                raise refused(self.module, node, f"linspace in {kind.dtype} as {wanted.dtype}; use astype")
            first, last = (end.converted(kind, loc) for end in ends)
            view = self.temporary(kind, (count,), node)
            steps = self.size(self.sum(node, count, -with_end))
            least = build.compare("gt", steps, build.integer(0, I64, loc), loc)
            by = build.convert(chosen(least, Typed(steps, INT), constant(1, loc), INT, loc).node, kind.core, loc)
            step = self.kept(build.binary("div", build.binary("sub", last, first, loc), by, loc))

            def element(at: list[ex.Expr]) -> Typed:
                way = build.binary("mul", build.convert(at[0], kind.core, loc), step, loc)
                inside = Typed(build.binary("add", way, first, loc), kind)
                if not with_end:
                    return inside
                ended = build.compare("ge", at[0], steps, loc)
                begun = build.compare("gt", at[0], build.integer(0, I64, loc), loc)
                end = ex.Logical("and", ended, begun, ended.type, loc)
                return chosen(end, Typed(last, kind), inside, kind, loc)

            self.fill(view, element, loc)
            return view

        return Making((count,), make)

    def grid(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """One array of a `meshgrid`: a vector along its axis, the others as long as other vectors."""
        shapes = [self.shape_of(g) for g in given]
        if any(len(s) != 1 for s in shapes):
            raise refused(self.module, node, "meshgrid of other than vectors")
        axis = self.whole_number(keywords["axis"])
        kind = partial(self.prepared_kind, given[axis], 1)
        extents = tuple(extent for (extent,) in shapes)
        return self.of_elements(node, extents, kind, lambda at: self.element_of(given[axis], [at[axis]]))


def _loops(node: ast.expr) -> tuple[dict[str, ast.expr], ast.expr]:
    """The counters of lists inside each other with their lengths, and the element."""
    match node:
        case ast.Call(func=ast.Attribute(attr="_each"), args=[ast.Name(id=counter), length, element]):
            loops, last = _loops(element)
            return {counter: length, **loops}, last
    return {}, node


def _leaves(node: ast.expr, place: tuple[int, ...]) -> list[tuple[tuple[int, ...], ast.expr]]:
    """What lists inside of lists hold, each with its place."""
    if not isinstance(node, ast.List | ast.Tuple):
        return [(place, node)]
    return [leaf for k, part in enumerate(node.elts) for leaf in _leaves(part, (*place, k))]


def _lengths(node: ast.expr) -> tuple[int, ...]:
    """The length of a list, and of the first one in it."""
    if not isinstance(node, ast.List | ast.Tuple):
        return ()
    return (len(node.elts), *(_lengths(node.elts[0]) if node.elts else ()))
