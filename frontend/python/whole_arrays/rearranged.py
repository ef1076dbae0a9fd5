"""Arrays that NumPy's functions make of others, element by element: rolled, joined, padded, summed up.

Each is made in an array before the expression that it stands in. A function of NumPy's has a row in `_MAKERS`: a method
that says what extents its result has, and how it is made.

    before  y = np.roll(x, 1) + np.cumsum(x)
    after   for k < n - 1: whole[k + 1] = x[k];   for k < 1: whole[k] = x[k + n - 1]
            total = 0;  for k < n: total = total + x[k]; whole_1[k] = total
            for i < n: y[i] = whole[i] + whole_1[i]
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import I64
from raising.frontend.python.module import refused
from raising.frontend.python.typed_nodes import Typed, chosen
from raising.frontend.python.types import INT, Kind
from raising.frontend.python.whole_arrays.constructed import Constructed
from raising.frontend.python.whole_arrays.folds import Fold, Folding, Making
from raising.frontend.python.whole_arrays.indexing.array_parts import View, added
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.padded import Padded
from raising.support.source import Loc

_RUNNING = {
    "cumsum": "sum", "cumprod": "prod", "numpy.add": "sum", "numpy.multiply": "prod", "numpy.maximum": "max",
    "numpy.minimum": "min",
}  # fmt: skip
_METHODS = ("cumsum", "cumprod", "argmax", "argmin", "reshape", "ravel", "flatten", "repeat")


class Rearranged(Padded):
    """Makes arrays by NumPy's functions."""

    def making(self, node: ast.expr) -> Making | None:
        """How an array (or number) is made that a call of NumPy's gives; None for other expressions."""
        if isinstance(node, ast.Subscript) and not self.made_before(node):
            return self.picking(node)
        if not isinstance(node, ast.Call) or self.made_before(node):
            return None
        home, _, name = self.module.dotted(node.func).rpartition(".")
        arguments = list(node.args)
        method = node.func if isinstance(node.func, ast.Attribute) and home != "numpy" else None
        if method is not None and method.attr in _METHODS and self.shape_of(method.value):
            name, arguments = method.attr, [method.value, *arguments]
        elif home != "numpy" and (name != "accumulate" or home not in _RUNNING):
            return None
        maker = _MAKERS.get(name)
        keywords = {k.arg or "": k.value for k in node.keywords}
        return maker(self, node, arguments, keywords) if maker and arguments else None

    # ---- elements at other places ------------------------------------------------------------------

    def _roll(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        options = self.options(node, given[1:], keywords, "shift", "axis")
        extents, shift = self.shape_of(given[0]), self.whole_number(options["shift"])
        axis = self.axis_of(options.get("axis"), len(extents), node)
        length = extents[axis]
        if isinstance(length, ast.Constant):
            shift %= max(1, cast(int, length.value))
        zero, first = self.at_place(node, 0), self.at_place(node, abs(shift))
        rest = self.sum(node, length, -abs(shift))

        def make() -> View:
            view = self.temporary(self.kind_of(given[0], len(extents)), extents, node)
            self.require("arrays are rolled by at most their length", length, first, node)
            self.ask()
            moved = (
                ((rest, zero, first), (first, rest, zero)) if shift >= 0 else ((rest, first, zero), (first, zero, rest))
            )
            for size, source, target in moved:
                shape = (*extents[:axis], size, *extents[axis + 1 :])
                places = [(zero, zero)] * axis + [(source, target)] + [(zero, zero)] * (len(extents) - axis - 1)
                self.moved(view, given[0], shape, places)
            return view

        return Making(extents, make)

    def _piled(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`vstack`, `hstack`, `column_stack`, `dstack`: of vectors, the first makes rows, and the third columns."""
        parts = given[0].elts if isinstance(given[0], ast.Tuple | ast.List) else []
        rank = len(self.shape_of(parts[0])) if parts else 0
        name = self.module.dotted(node.func).rpartition(".")[2]
        if name == "dstack":
            if rank < 2:
                raise refused(self.module, node, "np.dstack of vectors")
            return self._put_together(node, given, {**keywords, "axis": self.at_place(node, 2)}, rank == 2)
        vectors = rank == 1
        new = vectors and name != "hstack"
        axis = 1 if name == "column_stack" or name == "hstack" and not vectors else 0
        return self._put_together(node, given, {**keywords, "axis": self.at_place(node, axis)}, new)

    def _joined(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        return self._put_together(node, given, keywords, self.module.dotted(node.func).endswith("stack"))

    def _put_together(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr], new: bool) -> Making:
        """`concatenate` and `stack`: the latter gives each part a `new` axis of its own."""
        options = self.options(node, given[1:], keywords, "axis")
        parts = given[0].elts if isinstance(given[0], ast.Tuple | ast.List) else []
        shapes = [self.shape_of(p) for p in parts]
        if not parts or any(len(s) != len(shapes[0]) for s in shapes) or not (new or shapes[0]):
            raise refused(self.module, node, "what is joined has to be arrays of one number of dimensions")
        axis = self.axes(options.get("axis", self.at_place(node, 0)), len(shapes[0]) + new, node)[0]
        one, whole = self.at_place(node, 1), self.at_place(node, 0)
        boxes = [(*s[:axis], one, *s[axis:]) if new else s for s in shapes]
        for box in boxes:
            whole = self.sum(node, whole, box[axis])
        common = [whole if k == axis else self._same(node, [b[k] for b in boxes]) for k in range(len(boxes[0]))]

        def make() -> View:
            kind = self.common_kind(parts, [len(s) for s in shapes])
            view, start, loc = self.temporary(kind, tuple(common), node), self.at_place(node, 0), self.place(node)
            for part, box in zip(parts, boxes, strict=True):
                starts = [self.size(start if k == axis else self.at_place(node, 0)) for k in range(len(common))]
                own = partial(self._without_axis, part, axis if new else None)
                self.laid(view, (*common[:axis], box[axis], *common[axis + 1 :]), starts, own, loc)
                start = self.sum(node, start, box[axis])
            return view

        return Making(tuple(common), make)

    def _without_axis(self, part: ast.expr, axis: int | None, at: list[ex.Expr]) -> Typed:
        """An element of a part by its place in the whole, which may have one axis more."""
        return self.element_of(part, [i for k, i in enumerate(at) if k != axis])

    def _same(self, node: ast.expr, extents: Sequence[ast.expr]) -> ast.expr:
        """The one extent that several have to be."""
        common = extents[0]
        for extent in extents[1:]:
            if ast.unparse(common) != ast.unparse(extent):
                common = self.joined_extent(common, extent, node, spread=False)
        return common

    # ---- along an axis -----------------------------------------------------------------------------

    def _running(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`cumsum`, `cumprod`, and `accumulate` of a ufunc: along the first axis where none is given."""
        home, _, name = self.module.dotted(node.func).rpartition(".")
        called = node.func.attr if isinstance(node.func, ast.Attribute) else name
        options, extents = self.options(node, given[1:], keywords, "axis"), self.shape_of(given[0])
        first = self.at_place(node, 0) if called == "accumulate" else None
        axis, loc = self.axis_of(options.get("axis", first), len(extents), node), self.place(node)

        def make() -> View:
            fold = Fold.of(_RUNNING.get(called) or _RUNNING[home], self.kind_of(given[0], len(extents)))
            view = self.temporary(fold.kind, extents, node)

            def line(outer: list[ex.Expr]) -> None:
                total = self.hidden("total", fold.kind.core, loc)
                self.declare(total, fold.start(loc).converted(fold.kind, loc), loc)

                def each(along: list[ex.Expr]) -> None:
                    at = [*outer[:axis], *along, *outer[axis:]]
                    new = self.element_of(given[0], at).converted(fold.kind, loc)
                    joined = fold.joined(build.read(total, loc), new, loc)
                    self.out.append(st.Assign(build.name(total, loc), joined, loc))
                    self.put(view, at, Typed(build.read(total, loc), fold.kind), loc)

                self.over((extents[axis],), view.name, each, loc)

            self.over((*extents[:axis], *extents[axis + 1 :]), view.name, line, loc)
            return view

        return Making(extents, make)

    def _extreme_place(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`argmax` and `argmin`: the first place of the greatest or least element, or of a NaN."""
        options, extents = self.options(node, given[1:], keywords, "axis"), self.shape_of(given[0])
        axis = self.axis_of(options.get("axis"), len(extents), node)
        rest = (*extents[:axis], *extents[axis + 1 :])
        called = node.func.attr if isinstance(node.func, ast.Attribute) else self.module.dotted(node.func)

        def line(outer: list[ex.Expr]) -> Typed:
            def element(along: ex.Expr) -> Typed:
                return self.element_of(given[0], [*outer[:axis], along, *outer[axis:]])

            return self._first_best(element, extents[axis], called.endswith("max"), self.place(node))

        def make() -> View | Typed:
            self.require("there is an element to be found", extents[axis], 1, node)
            if rest:
                return self.array_of(Kind("int64"), rest, line, node)
            self.ask()
            return line([])

        return Making(rest, make)

    def _first_best(self, element: Callable[[ex.Expr], Typed], count: ast.expr, greatest: bool, loc: Loc) -> Typed:
        """The first place of the greatest (or least) of several elements, by a loop that keeps it and its value."""
        zero = build.integer(0, I64, loc)
        first = element(zero)
        kind = Kind(first.kind.dtype)
        best, place = self.hidden("best", kind.core, loc), self.hidden("place", I64, loc)
        self.declare(best, first.converted(kind, loc), loc)
        self.declare(place, zero, loc)

        def each(along: list[ex.Expr]) -> None:
            new, old = self.keep(element(along[0])).converted(kind, loc), build.read(best, loc)
            better: ex.Expr = build.compare("gt" if greatest else "lt", new, old, loc)
            if kind.is_float:
                nan = build.compare("ne", new, new, loc), build.compare("eq", old, old, loc)
                better = ex.Logical("or", better, ex.Logical("and", *nan, better.type, loc), better.type, loc)
            better = self.kept(better)
            there = chosen(better, Typed(along[0], INT), Typed(build.read(place, loc), INT), INT, loc)
            self.out.append(st.Assign(build.name(place, loc), there.node, loc))
            value = chosen(better, Typed(new, kind), Typed(old, kind), kind, loc)
            self.out.append(st.Assign(build.name(best, loc), value.node, loc))

        self.over((count,), "k", each, loc)
        return Typed(build.read(place, loc), Kind("int64"))

    # ---- sums of products --------------------------------------------------------------------------

    def _einsum(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """Einstein's convention: letters that the result does not have are summed over."""
        text = given[0].value if isinstance(given[0], ast.Constant) else None
        operands = given[1:]
        if not isinstance(text, str) or keywords or "." in text or not operands:
            raise refused(self.module, node, "einsum of other than a constant text of letters, and arrays")
        inputs, arrow, output = text.replace(" ", "").partition("->")
        terms, shapes = inputs.split(","), [self.shape_of(o) for o in operands]
        if not arrow:
            output = "".join(sorted(c for c in set(inputs) - {","} if inputs.count(c) == 1))
        if [len(t) for t in terms] != [len(s) for s in shapes] or not set(output) <= set(inputs) - {","}:
            raise refused(self.module, node, f"'{text}' does not fit the dimensions of its arrays")
        extents: dict[str, ast.expr] = {}
        for letter, extent in ((c, e) for t, s in zip(terms, shapes, strict=True) for c, e in zip(t, s, strict=True)):
            extents[letter] = self._same(node, [extents[letter], extent]) if letter in extents else extent
        summed, loc = [c for c in extents if c not in output], self.place(node)
        result, inner = (tuple(extents[c] for c in letters) for letters in (output, summed))

        def make() -> View | Typed:
            kind = self.common_kind(operands, [len(t) for t in terms])

            def element(at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
                where = dict(zip([*output, *summed], [*at, *along], strict=True))
                factors = (
                    self.element_of(operand, [where[c] for c in term]).converted(kind, loc)
                    for operand, term in zip(operands, terms, strict=True)
                )
                return reduce(lambda a, b: build.binary("mul", a, b, loc, kind.wraps), factors)

            if summed or not output:
                return self.folded(Folding(Fold("sum", Kind(kind.dtype)), result, inner, element), node)
            return self.array_of(kind, result, lambda at: Typed(element(at, ()), kind), node)

        return Making(result, make)

    # ---- other shapes ------------------------------------------------------------------------------

    def _reshape(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """From any shape to a vector, or from a vector to any shape; others by way of a vector."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        shape, one = self.shape_of(given[0]), self.at_place(node, 1)
        if keywords or not shape:
            raise refused(self.module, node, "this use of a function that changes a shape")
        total = reduce(partial(self.times_extent, node), shape, one)
        extents = (total,) if name in ("ravel", "flatten") else tuple(self._wanted(node, given[1:], total))
        count = reduce(partial(self.times_extent, node), extents, one)
        if ast.unparse(count) != ast.unparse(total):
            self.require_equal("an array keeps its number of elements", count, total, node)
        loc = self.place(node)

        def make() -> View:
            kind = self.kind_of(given[0], len(shape))
            vector = self.temporary(kind, (total,), node)

            def lay_down(at: list[ex.Expr]) -> None:
                self.put(vector, [self._flat(at, shape, loc)], self.element_of(given[0], at), loc)

            def element(at: list[ex.Expr]) -> Typed:
                there = self.lvalue(vector, [self._flat(at, extents, loc)], loc)
                return Typed(build.load(there, loc), Kind(kind.dtype))

            self.over(shape, vector.name, lay_down, loc)
            return vector if len(extents) == 1 else self.array_of(kind, extents, element, node)

        return Making(extents, make)

    def _flat(self, at: Sequence[ex.Expr], extents: Shape, loc: Loc) -> ex.Expr:
        """The number of an element, counted along the last axis first."""
        if len(at) == 1:
            return at[0]
        number: ex.Expr = build.integer(0, I64, loc)
        for index, extent in zip(at, extents, strict=True):
            number = added(build.binary("mul", number, self.size(extent), loc), index, loc)
        return number

    def _wanted(self, node: ast.expr, given: Sequence[ast.expr], total: ast.expr) -> list[ast.expr]:
        parts = given[0].elts if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List) else list(given)
        if any(self.module.number(p) == -1 for p in parts):
            if len(parts) != 1:
                raise refused(self.module, node, "a shape with -1 beside other extents; write all of them")
            return [total]
        if not parts:
            raise refused(self.module, node, "a shape that is not given")
        return [self.canonical(p) for p in parts]


_Maker = Callable[[Rearranged, ast.Call, list[ast.expr], dict[str, ast.expr]], Making | None]
_MAKERS: dict[str, _Maker] = {
    **dict.fromkeys(("zeros", "ones", "full", "zeros_like", "ones_like", "full_like"), Constructed.filled),
    "_array": Constructed.listed,
    "_each": Constructed.each,
    "atleast_1d": Constructed.at_least,
    **dict.fromkeys(("eye", "identity"), Constructed.eye),
    "arange": Constructed.arange,
    **dict.fromkeys(("triu", "tril"), Constructed.triangle),
    "roll": Rearranged._roll,
    **dict.fromkeys(("concatenate", "stack"), Rearranged._joined),
    **dict.fromkeys(("vstack", "hstack", "column_stack", "dstack"), Rearranged._piled),
    "pad": Padded.pad,
    "tile": Padded.tile,
    "repeat": Padded.repeat,
    "linspace": Constructed.linspace,
    "_grid": Constructed.grid,
    **dict.fromkeys(("cumsum", "cumprod", "accumulate"), Rearranged._running),
    "diag": Constructed.diagonal_matrix,
    **dict.fromkeys(("argmax", "argmin"), Rearranged._extreme_place),
    "einsum": Rearranged._einsum,
    **dict.fromkeys(("reshape", "ravel", "flatten"), Rearranged._reshape),
}
