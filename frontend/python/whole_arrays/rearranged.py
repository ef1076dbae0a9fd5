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
from copy import deepcopy
from functools import partial, reduce
from string import ascii_letters
from typing import cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import I64
from raising.frontend.lower.ir.polynomial import divided
from raising.frontend.python.module import refused
from raising.frontend.python.numpy_library.made_syntax import numpy_call, placed
from raising.frontend.python.typed_nodes import Typed, chosen
from raising.frontend.python.types import INT, Kind
from raising.frontend.python.whole_arrays.constructed import Constructed
from raising.frontend.python.whole_arrays.folds import Fold, Folding, Making
from raising.frontend.python.whole_arrays.indexing.array_parts import View, added
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.canonical_extents import expression, polynomial
from raising.frontend.python.whole_arrays.padded import Padded
from raising.support.source import Loc

_RUNNING = {
    "cumsum": "sum", "cumprod": "prod", "numpy.add": "sum", "numpy.multiply": "prod", "numpy.maximum": "max",
    "numpy.minimum": "min",
}  # fmt: skip
_NEW_AXES: dict[tuple[str, int], ast.expr] = {
    ("vstack", 1): ast.Tuple([ast.Constant(None)]),
    ("column_stack", 1): ast.Tuple([ast.Slice(), ast.Constant(None)]),
    ("dstack", 1): ast.Tuple([ast.Constant(None), ast.Slice(), ast.Constant(None)]),
    ("dstack", 2): ast.Tuple([ast.Slice(), ast.Slice(), ast.Constant(None)]),
}
"""The subscripts by which a function that joins arrays takes one of so many dimensions."""
_BEYOND = 10**15
"""A place behind those of all arrays; modulo 2**61 - 1, a large power of two would be a small one, or a fraction."""
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
        extents = self.shape_of(given[0])
        axis = self.axis_of(options.get("axis"), len(extents), node)
        length, form = extents[axis], polynomial(options["shift"], self.meaning)
        if form is None or form.constant is None or self.module.as_written:
            return self.rolled_by(node, given[0], axis, options["shift"])
        shift = form.constant
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
        """`vstack`, `hstack`, `column_stack`, `dstack`: vectors get new axes, as rows or columns."""
        parts = list(given[0].elts) if isinstance(given[0], ast.Tuple | ast.List) else []
        ranks = [len(self.shape_of(p)) for p in parts]
        name = self.module.dotted(node.func).rpartition(".")[2]
        axis = {"vstack": 0, "hstack": int(1 not in ranks), "column_stack": 1, "dstack": 2}[name]
        new = name != "hstack" and {*ranks} == {max(axis, 1)}
        for k, rank in enumerate(ranks if not new else ()):
            if subscript := _NEW_AXES.get((name, rank)):
                parts[k] = placed(ast.Subscript(parts[k], deepcopy(subscript), ast.Load()), parts[k])
        listed = placed(ast.List(parts, ast.Load()), node)
        return self._put_together(node, [listed], {**keywords, "axis": self.at_place(node, axis)}, new)

    def _joined(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        new = self.module.dotted(node.func).endswith("stack")
        if new and isinstance(given[0], ast.Tuple | ast.List) and not any(map(self.shape_of, given[0].elts)):
            self._axis(node, given, keywords, 1)
            return self.listed(node, given[:1], {})  # of numbers, which have one axis to be put on
        return self._put_together(node, given, keywords, new)

    def _axis(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr], rank: int) -> int:
        """The axis along which parts are put together; an error where the result has none of that number."""
        options = self.options(node, given[1:], keywords, "axis")
        axes = self.axes(options.get("axis", self.at_place(node, 0)), rank, node)
        if len(axes) != 1:
            raise refused(self.module, node, "arrays joined along no axis; make each one a vector")
        return int(axes[0])

    def _put_together(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr], new: bool) -> Making:
        """`concatenate` and `stack`: the latter gives each part a `new` axis of its own."""
        parts = given[0].elts if isinstance(given[0], ast.Tuple | ast.List) else []
        shapes = [self.shape_of(p) for p in parts]
        if not parts or any(len(s) != len(shapes[0]) for s in shapes) or not (new or shapes[0]):
            raise refused(self.module, node, "what is joined has to be arrays of one number of dimensions")
        axis = self._axis(node, given, keywords, len(shapes[0]) + new)
        one, whole = self.at_place(node, 1), self.at_place(node, 0)
        boxes = [(*s[:axis], one, *s[axis:]) if new else s for s in shapes]
        for box in boxes:
            whole = self.sum(node, whole, box[axis])
        common = [whole if k == axis else self._same(node, [b[k] for b in boxes]) for k in range(len(boxes[0]))]

        def make() -> View:
            for part in parts:
                if (found := self._behind_part(part)) is not None and self.view(found[0]) is None:
                    self.made[id(found[0])] = found[0], self._laid_down(*found)
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
        options = self.options(node, given[1:], keywords, "axis", "dtype")
        axis, operand = options.get("axis"), given[0]
        if called == "accumulate":
            axis = axis or self.at_place(node, 0)
        elif (axis is None or isinstance(axis, ast.Constant) and axis.value is None) and len(
            self.shape_of(operand)
        ) > 1:
            operand = placed(numpy_call("ravel", [operand]), node)  # all elements, in their order
        extents, loc = self.shape_of(operand), self.place(node)
        axis_, wanted = self.axis_of(axis, len(extents), node), self.dtype(options.get("dtype"), node)

        def make() -> View:
            self.prepare(operand)
            name, own = _RUNNING.get(called) or _RUNNING[home], self.kind_of(operand, len(extents))
            fold = Fold.of(name, own) if wanted is None else Fold(name, Kind(wanted.dtype))
            view = self.temporary(fold.kind, extents, node)

            def line(outer: list[ex.Expr]) -> None:
                total = self.hidden("total", fold.kind.core, loc)
                self.declare(total, fold.start(loc).converted(fold.kind, loc), loc)

                def each(along: list[ex.Expr]) -> None:
                    at = [*outer[:axis_], *along, *outer[axis_:]]
                    new = self.element_of(operand, at).converted(fold.kind, loc)
                    joined = fold.joined(build.read(total, loc), new, loc)
                    self.out.append(st.Assign(build.name(total, loc), joined, loc))
                    self.put(view, at, Typed(build.read(total, loc), fold.kind), loc)

                self.over((extents[axis_],), view.name, each, loc)

            self.over((*extents[:axis_], *extents[axis_ + 1 :]), view.name, line, loc)
            return view

        return Making(extents, make)

    def _extreme_place(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`argmax` and `argmin`: the first place of the greatest or least element, or of a NaN.

        That element is found first, and then where it is: both are folds in any order.
        """
        options, extents = self.options(node, given[1:], keywords, "axis", "keepdims"), self.shape_of(given[0])
        axis, kept = options.get("axis", ast.Constant(None)), options.get("keepdims", ast.Constant(False))
        if not isinstance(kept, ast.Constant):
            raise refused(self.module, node, "axes that are kept as data decides")
        whole = isinstance(axis, ast.Constant) and axis.value is None
        axes = (*range(len(extents)),) if whole else (self.axis_of(axis, len(extents), node),)
        one, inner = self.at_place(node, 1), tuple(extents[k] for k in axes)
        rest = tuple(one if k in axes else e for k, e in enumerate(extents) if kept.value or k not in axes)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else self.module.dotted(node.func)

        kind, integer, loc = Kind(self.kind_of(given[0], len(extents)).dtype), Kind("int64"), self.place(node)
        extreme, least = Fold("max" if called.endswith("max") else "min", kind), Fold("min", integer)
        nowhere = Typed(build.integer(_BEYOND, I64, loc), integer)

        def element(outer: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
            places = iter([i for k, i in enumerate(outer) if k not in axes] if kept.value else outer)
            own = {k: next(places) for k in range(len(extents)) if k not in axes} | dict(zip(axes, along, strict=True))
            return self.element_of(given[0], [own[k] for k in range(len(extents))]).converted(kind, loc)

        def make() -> View | Typed:
            for extent in inner:
                self.require("there is an element to be found", extent, 1, node)
            best = self.folded(Folding(extreme, rest, inner, element), node)

            def here(outer: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
                wanted = best.node if isinstance(best, Typed) else build.load(self.lvalue(best, outer, loc), loc)
                same = _is_same(self.kept(element(outer, along)), self.kept(wanted), kind, loc)
                return chosen(same, Typed(self._flat(along, inner, loc), INT), nowhere, integer, loc).node

            return self.folded(Folding(least, rest, inner, here, nowhere), node)

        return Making(rest, make)

    # ---- sums of products --------------------------------------------------------------------------

    def _einsum(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """Einstein's convention: letters that the result does not have are summed over."""
        text = given[0].value if isinstance(given[0], ast.Constant) else None
        operands = given[1:]
        if not isinstance(text, str) or keywords or not operands:
            raise refused(self.module, node, "einsum of other than a constant text of letters, and arrays")
        shapes = [self.shape_of(o) for o in operands]
        inputs, arrow, output = _lettered(text, [len(s) for s in shapes]).partition("->")
        terms = inputs.split(",")
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

    def _contracted(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """`tensordot`: products that are summed over axes of both."""
        options = self.options(node, given[2:], keywords, "axes")
        ranks = [len(self.shape_of(a)) for a in given[:2]]
        axes = options.get("axes", self.at_place(node, 2))
        if isinstance(axes, ast.Tuple | ast.List) and len(axes.elts) == 2:
            pair = [
                [self.whole_number(n) for n in (each.elts if isinstance(each, ast.Tuple | ast.List) else [each])]
                for each in axes.elts
            ]
        else:
            count = self.whole_number(axes)
            pair = [[*range(-count, 0)], [*range(count)]]
        inside = [all(-rank <= axis < rank for axis in each) for each, rank in zip(pair, ranks, strict=True)]
        if not all(inside) or len(pair[0]) != len(pair[1]):
            raise refused(self.module, node, "the axes do not fit the dimensions of the arrays")
        first, second = ascii_letters[: ranks[0]], [*ascii_letters[ranks[0] : sum(ranks)]]
        for one, other in zip(*pair, strict=True):
            second[other] = first[one]
        output = "".join(c for c in (*first, *second) if (c in first) + (c in second) == 1)
        text = ast.Constant(f"{first},{''.join(second)}->{output}")
        return self._einsum(node, [text, *given[:2]], {})

    # ---- other shapes ------------------------------------------------------------------------------

    def _reshape(self, node: ast.Call, given: list[ast.expr], keywords: dict[str, ast.expr]) -> Making:
        """From any shape to a vector, or from a vector to any shape; others by way of a vector."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        to_vector = name in ("ravel", "flatten")
        order = keywords.pop("order", given[1] if to_vector and len(given) == 2 else ast.Constant("C"))
        columns_first = to_vector and isinstance(order, ast.Constant) and order.value == "F"
        if columns_first:
            given = [placed(numpy_call("transpose", given[:1]), node)]
        shape, one = self.shape_of(given[0]), self.at_place(node, 1)
        plain = columns_first or isinstance(order, ast.Constant) and order.value == "C"
        if keywords or not shape or not plain or to_vector and len(given) > 2:
            raise refused(self.module, node, "this use of a function that changes a shape")
        total = reduce(partial(self.times_extent, node), shape, one)
        extents = (total,) if to_vector else tuple(self._wanted(node, given[1:], total))
        count = reduce(partial(self.times_extent, node), extents, one)
        if ast.unparse(count) != ast.unparse(total):
            self.require_equal("an array keeps its number of elements", count, total, node)
        loc = self.place(node)

        def make() -> View:
            kind = self.kind_of(given[0], len(shape))
            vector = self.temporary(kind, (total,), node)

            def element(at: list[ex.Expr]) -> Typed:
                there = self.lvalue(vector, [self._flat(at, extents, loc)], loc)
                return Typed(build.load(there, loc), Kind(kind.dtype))

            laid_down = partial(self.element_of, given[0])
            self.fill(vector, laid_down, loc, shape, lambda at: [self._flat(at, shape, loc)])
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
        """The extents that are asked for; -1 stands for what the others leave."""
        one = self.at_place(node, 1)
        parts = [self.canonical(p) for p in self.lengths(given)]
        open_ = [k for k, p in enumerate(parts) if self.module.number(p) == -1]
        if len(open_) > 1:
            raise refused(self.module, node, "a shape with -1 twice")
        if open_:
            rest = parts[: open_[0]] + parts[open_[0] + 1 :]
            parts[open_[0]] = self._quotient(node, total, reduce(partial(self.times_extent, node), rest, one))
        if not parts:
            raise refused(self.module, node, "a shape that is not given")
        return parts

    def _quotient(self, node: ast.expr, total: ast.expr, rest: ast.expr) -> ast.expr:
        """How many times some elements are in all; that none is left over is stated where it is not known."""
        form, by, found = polynomial(total, self.meaning), polynomial(rest, self.meaning), None
        if form is not None and by is not None and by.constant != 0:
            found, left = divided(form, by)
            if left.constant != 0:
                found = form.floordiv(by.constant) if by.constant and form.is_linear else None
        if found is None:
            raise refused(self.module, node, f"-1 in a shape: {ast.unparse(total)} elements by {ast.unparse(rest)}")
        self.require("the extents beside -1 have elements", rest, 1, node)
        return expression(found, node)


_Maker = Callable[[Rearranged, ast.Call, list[ast.expr], dict[str, ast.expr]], Making | None]
_MAKERS: dict[str, _Maker] = {
    **dict.fromkeys(("zeros", "ones", "full", "zeros_like", "ones_like", "full_like"), Constructed.filled),
    "_array": Constructed.listed,
    "_each": Constructed.each,
    "atleast_1d": Constructed.at_least,
    "broadcast_to": Constructed.spread,
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
    "tensordot": Rearranged._contracted,
    **dict.fromkeys(("reshape", "ravel", "flatten"), Rearranged._reshape),
}


def _lettered(text: str, ranks: Sequence[int]) -> str:
    """A text of `einsum` with letters that it does not have for the dots: they are the first axes of all arrays."""
    inputs, arrow, output = text.replace(" ", "").partition("->")
    free = [c for c in ascii_letters if c not in text]
    terms = inputs.split(",")
    counts = [rank - len(t) + 3 if "..." in t else 0 for t, rank in zip(terms, ranks, strict=False)]
    most = max((0, *counts))
    filled = [t.replace("...", "".join(free[most - n : most])) for t, n in zip(terms, counts, strict=False)]
    rest = terms[len(filled) :]
    if not arrow and "..." in text:
        letters = sorted(c for c in {*inputs} - {*",."} if inputs.count(c) == 1)
        arrow, output = "->", "".join(["...", *letters])
    return ",".join(filled + rest) + arrow + output.replace("...", "".join(free[:most]))


def _is_same(one: ex.Expr, other: ex.Expr, kind: Kind, loc: Loc) -> ex.Expr:
    """Whether two elements are equal, or both NaN."""
    same: ex.Expr = build.compare("eq", one, other, loc)
    if not kind.is_float:
        return same
    nan = build.compare("ne", one, one, loc), build.compare("ne", other, other, loc)
    return ex.Logical("or", same, ex.Logical("and", *nan, same.type, loc), same.type, loc)
