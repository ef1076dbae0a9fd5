"""What is made before the elements of an expression are asked for: reductions, products of matrices, and calls.

    before  y = x - np.mean(A @ B, axis=0)
    after   for i, j: whole[i, j] = 0; for k: whole[i, j] += A[i, k] * B[k, j]
            for j: mean[j] = 0; for k: mean[j] += whole[k, j];    for j: mean[j] /= len(A)
            for j: y[j] = x[j] - mean[j]

A product or reduction is found by its syntax (`_product`, `reduction`) and made by loops that fold (`folded`). What
other functions make of arrays is a `Making`; those are in the table of `rearranged`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from math import inf
from typing import TypeGuard

import numpy as np

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import I64, Int
from raising.frontend.python.module import refused
from raising.frontend.python.numpy_library import complex_arithmetic
from raising.frontend.python.typed_nodes import Typed, called, chosen, constant
from raising.frontend.python.types import Kind
from raising.frontend.python.whole_arrays.indexing.array_parts import Along, View
from raising.frontend.python.whole_arrays.indexing.broadcasting import Shape
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one
from raising.frontend.python.whole_arrays.masked import Reduction, Selections
from raising.support.record import dataclass
from raising.support.source import Loc

Element = Callable[[Sequence[ex.Expr], Sequence[ex.Expr]], ex.Expr]
"""An element by its place among the results and its place in what is folded for that one."""


@dataclass(frozen=True)
class Fold:
    """How elements are folded (`sum`, `prod`, `max` or `min`), and in which kind."""

    name: str
    kind: Kind

    @staticmethod
    def of(name: str, elements: Kind) -> Fold:
        """What NumPy does with elements of a kind; a `mean` is a sum, of floats."""
        kind = Kind(elements.dtype)
        if not kind.is_complex and not kind.is_float:
            if name == "mean":
                kind = Kind("float64")
            if name in ("sum", "prod"):
                kind = Kind("uint64" if kind.dtype.startswith("uint") else "int64")
        return Fold("sum" if name == "mean" else name, kind)

    def start(self, loc: Loc) -> Typed:
        """What a fold of nothing gives; of `max` and `min`, for which NumPy has nothing, what any element replaces."""
        if self.name in ("sum", "prod"):
            return constant(int(self.name == "prod"), loc)
        if self.kind.is_float:
            return constant(-inf if self.name == "max" else inf, loc)
        t = self.kind.core
        low, high = t.range if isinstance(t, Int) else (0, 1)
        return Typed(ex.Literal(low if self.name == "max" else high, t, loc), self.kind)

    def joined(self, old: ex.Expr, new: ex.Expr, loc: Loc) -> ex.Expr:
        """The fold of what was folded so far and one more element."""
        if self.name in ("sum", "prod"):
            return build.binary("add" if self.name == "sum" else "mul", old, new, loc, self.kind.wraps)
        if self.kind.is_float:
            return called("maximum" if self.name == "max" else "minimum", [old, new], self.kind, loc).node
        better = build.compare("gt" if self.name == "max" else "lt", new, old, loc)
        return chosen(better, Typed(new, self.kind), Typed(old, self.kind), self.kind, loc).node


@dataclass(frozen=True)
class Folding:
    """At each place of a result of some `extents`, the fold of elements over the extents `inner`, from `first` on."""

    fold: Fold
    extents: Shape
    inner: Shape
    element: Element
    first: Typed | None = None

    def start(self, loc: Loc) -> Typed:
        """What is there before the first element."""
        return self.first or self.fold.start(loc)


@dataclass(frozen=True)
class Product:
    """A product of two array expressions: the extents of the result, and of what is summed over (None: nothing).

    In front, the result has the extents of a `stack` of products.
    """

    left: ast.expr
    right: ast.expr
    extents: Shape
    inner: ast.expr | None
    ranks: tuple[int, int]
    stack: int = 0

    def indices(self, at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> tuple[list[ex.Expr], list[ex.Expr]]:
        """Where the operands' elements lie that meet at a place of the result and of the sum."""
        if self.stack:
            return [*at[:-1], *along], [*at[: self.stack], *along, at[-1]]
        rows = self.ranks[0] - len(along)
        return [*at[:rows], *along], [*along, *at[rows:]]


@dataclass(frozen=True)
class Making:
    """The extents of the array (or number) that a call makes, and the function that makes it when it is needed."""

    extents: Shape
    make: Callable[[], View | Typed]


class Folds(Selections):
    """Makes reductions, products and calls before the expression that they stand in."""

    def prepare(self, node: ast.expr, into: View | None = None) -> None:
        """Make what stands inside of an expression, innermost first; the whole of it in an array if one is given."""
        for part in _post_order(node):
            fold = self._fold(part)
            if fold is not None:
                self.made[id(part)] = part, self._made_fold(fold, part, into if part is node else None)
            elif self._is_own_call(part):
                self.made[id(part)] = part, self._called_first(part)
            elif (making := self.making(part)) is not None:
                self.made[id(part)] = part, making.make()
            elif (found := self._behind_part(part)) is not None and self.view(found[0]) is None:
                self.made[id(found[0])] = found[0], self._laid_down(*found)

    def _fold(self, node: ast.expr) -> Product | Reduction | None:
        return self._product(node) or self.reduction(node)

    def _made_fold(self, fold: Product | Reduction, node: ast.expr, into: View | None) -> View | Typed:
        if isinstance(fold, Product):
            return self._multiplied(fold, node, into)
        return self._reduced(fold, node, into)

    def _is_own_call(self, node: ast.expr) -> TypeGuard[ast.Call]:
        """Whether an expression calls a function of the file."""
        return isinstance(node, ast.Call) and self.module.dotted(node.func) in self.module.functions

    def _behind_part(self, node: ast.expr) -> tuple[ast.expr, Shape] | None:
        """The array expression, no part of an array itself, of which a part is taken, and its shape."""
        whole = node.value if isinstance(node, ast.Subscript) else self.whole_of_part(node)
        if whole is None or self.view(node) is not None:
            return None
        shape = self.shape_of(whole)
        return (whole, shape) if shape else None

    def making(self, node: ast.expr) -> Making | None:
        """How a call of NumPy's makes an array of others; None for other expressions."""
        return None

    def _laid_down(self, node: ast.expr, shape: Shape) -> View:
        """An array expression of which a part is taken, in an array."""
        self.ask()
        return self.array_of(self.kind_of(node, len(shape)), shape, lambda at: self.element_of(node, at), node)

    def is_fold(self, node: ast.expr) -> bool:
        """True for an expression that is made in an array."""
        return self._fold(node) is not None

    def call(self, node: ast.Call, loc: Loc) -> Typed:
        """The value of a call; of a reduction to a number, behind its loops."""
        return self._scalar(node) or super().call(node, loc)

    def combined(self, node: ast.BinOp | ast.AugAssign, left: Typed, right: Typed, loc: Loc) -> Typed:
        """An operator on two values."""
        if isinstance(node.op, ast.MatMult):
            raise refused(self.module, node, "a product of matrices that are none")
        match node:
            case ast.BinOp(left=base, op=ast.Pow(), right=power) if left.kind == Kind("bool"):
                if self.module.number(power) == 2 and self.shape_of(base):  # NumPy squares it
                    left = Typed(left.converted(Kind("int8"), loc), Kind("int8"))
        return super().combined(node, left, right, loc)

    def value(self, node: ast.expr) -> Typed:
        """An expression; a product of vectors, or an element of what is computed, stands behind its loops."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and self.made_before(node) is None:
            found = self._scalar(node)
            if found is not None:
                return found
        if isinstance(node, ast.Subscript) and self.at is None and self._behind_part(node) is not None:
            self.prepare(node)
        return super().value(node)

    def _scalar(self, node: ast.expr) -> Typed | None:
        fold = self._fold(node) or self.making(node)
        if fold is None:
            return None
        if fold.extents:
            raise refused(self.module, node, "an array is used where a number is needed")
        self.located(None, lambda: self.prepare(node))
        made = self.made.pop(id(node))[1]
        assert isinstance(made, Typed)
        return made

    def shape_of(self, node: ast.expr) -> Shape:
        """The extents of an expression; none for a number."""
        if self.made_before(node) is None:
            fold = self._fold(node)
            if fold is not None:
                return fold.extents
            if self._is_own_call(node):
                shapes = self.result_shapes(node)
                if len(shapes) > 1:
                    raise refused(self.module, node, f"a call that gives {len(shapes)} arrays, inside of an expression")
                return tuple(self.canonical(e) for e in shapes[0].extents) if shapes else ()
            if (making := self.making(node)) is not None:
                return making.extents
            if (found := self._behind_part(node)) is not None:
                shape, zero = found[1], build.integer(0, I64, self.place(node))
                whole = View("", tuple(Along(zero, 1, k) for k in range(len(shape))), shape)
                return self.rehearsed(lambda: self.part_of(whole, node).extents)
        return super().shape_of(node)

    def _called_first(self, node: ast.Call) -> View | Typed:
        shapes = self.result_shapes(node)
        if not shapes:
            value = self.value(node)
            return Typed(self.kept(value.node), value.kind, value.number)
        view = self.temporary(shapes[0].kind, self.shape_of(node), node)
        self.called(node, [view.name])
        return view

    # ---- products ----------------------------------------------------------------------------------

    def _product(self, node: ast.expr) -> Product | None:
        operands = self._operands(node)
        if operands is None or self.made_before(node) is not None:
            return None
        shapes = [self.shape_of(o) for o in operands]
        if isinstance(node, ast.Call) and self.module.dotted(node.func) == "numpy.outer":
            if any(len(s) != 1 for s in shapes):
                raise refused(self.module, node, "an outer product of other than two vectors")
            return Product(*operands, (*shapes[0], *shapes[1]), None, (1, 1))
        if any(len(s) > 2 for s in shapes) and all(len(s) >= 2 for s in shapes) and not _is_dot(node):
            inner = self.joined_extent(shapes[0][-1], shapes[1][-2], node, spread=False)
            stack = self.broadcast(*(s[:-2] for s in shapes), place=node)
            extents = (*stack, shapes[0][-2], shapes[1][-1])
            return Product(*operands, extents, inner, (len(shapes[0]), len(shapes[1])), len(stack))
        if not shapes[0] or len(shapes[1]) not in (1, 2):
            raise refused(self.module, node, "a product of other than vectors and matrices")
        inner = self.joined_extent(shapes[0][-1], shapes[1][0], node, spread=False)
        return Product(*operands, (*shapes[0][:-1], *shapes[1][1:]), inner, (len(shapes[0]), len(shapes[1])))

    def _operands(self, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return node.left, node.right
        if not isinstance(node, ast.Call) or node.keywords:
            return None
        home, _, name = self.module.dotted(node.func).rpartition(".")
        if home == "numpy" and name in ("dot", "matmul", "outer") and len(node.args) == 2:
            return node.args[0], node.args[1]
        method = node.func if isinstance(node.func, ast.Attribute) and node.func.attr == "dot" else None
        if method is not None and len(node.args) == 1 and home != "numpy" and self.shape_of(method.value):
            return method.value, node.args[0]
        return None

    def _multiplied(self, product: Product, node: ast.expr, into: View | None) -> View | Typed:
        operands, loc = (product.left, product.right), self.place(node)
        kind = self.common_kind(operands, product.ranks)

        def factor(at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
            pairs = zip(operands, product.indices(at, along), strict=True)
            a, b = (self.element_of(operand, place).converted(kind, loc) for operand, place in pairs)
            return build.binary("and" if kind.is_bool else "mul", a, b, loc, kind.wraps)

        inner = () if product.inner is None else (product.inner,)
        if not inner:
            return self.array_of(kind, product.extents, lambda at: Typed(factor(at, ()), kind), node, into)
        fold = Fold("max" if kind.is_bool else "sum", Kind(kind.dtype))
        return self.folded(Folding(fold, product.extents, inner, factor), node, into)

    # ---- reductions --------------------------------------------------------------------------------

    def _reduced(self, reduction: Reduction, node: ast.expr, into: View | None) -> View | Typed:
        loc, axes = self.place(node), reduction.axes
        self._mask_made(reduction)
        for k in axes if reduction.some else ():
            self.require("there is an element to be found", reduction.shape[k], 1, node)
        if reduction.keeps and into is None and len(axes) < len(reduction.shape):
            return self._spread(reduction, node)
        fold, first = self._fold_of(reduction, node), None
        if truths := fold.kind.is_bool:  # as numbers of a byte, whose maximum targets have
            first, fold = constant(int(fold.name == "min"), loc), replace(fold, kind=Kind("int8"))
        if reduction.initial is not None:
            first = Typed(self.kept(self.value(reduction.initial).converted(fold.kind, loc)), fold.kind)

        def element(at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
            place = reduction.operand_place(at, along)
            value = self.element_of(reduction.operand, place).converted(fold.kind, loc)
            if reduction.mask is None:
                return value
            selects = self.holds(reduction.mask, place, loc)
            return chosen(selects, Typed(value, fold.kind), fold.start(loc), fold.kind, loc).node

        inner = tuple(reduction.shape[k] for k in axes)
        folded = self.folded(Folding(fold, reduction.extents, inner, element, first), node, None if truths else into)
        if truths:
            return self._as_truths(folded, reduction, node, into)
        return self._divided(folded, fold.kind, reduction, node) if reduction.kind == "mean" else folded

    def _mask_made(self, reduction: Reduction) -> None:
        """Make what selects elements, if anything does."""
        if reduction.mask is not None:
            self.prepare(reduction.mask)
            if not self.kind_of(reduction.mask, len(reduction.shape)).is_bool:
                raise refused(self.module, reduction.mask, "where= has to be truth values")

    def _as_truths(
        self, numbers: View | Typed, reduction: Reduction, node: ast.expr, into: View | None
    ) -> View | Typed:
        """Numbers as what they say of 0."""
        truth, loc = Kind("bool"), self.place(node)
        if isinstance(numbers, Typed):
            return self.keep(Typed(build.as_truth(numbers.node, loc), truth))
        each = lambda at: Typed(build.as_truth(build.load(self.lvalue(numbers, at, loc), loc), loc), truth)  # noqa: E731
        return self.array_of(truth, reduction.extents, each, node, into)

    def _fold_of(self, reduction: Reduction, node: ast.expr) -> Fold:
        """The fold, in the kind that is asked for if NumPy lets the elements be of it."""
        elements, kind = self.kind_of(reduction.operand, len(reduction.shape)), reduction.of
        if kind is None:
            return Fold.of(reduction.kind, elements)
        if not np.can_cast(elements.dtype, kind.dtype, "same_kind") or reduction.kind == "mean" and not kind.is_float:
            raise refused(self.module, node, f"elements of {elements.dtype} that are reduced as {kind.dtype}")
        return Fold("sum" if reduction.kind == "mean" else reduction.kind, kind)

    def _divided(self, total: View | Typed, kind: Kind, reduction: Reduction, node: ast.expr) -> View | Typed:
        """A mean of a sum: over the number of elements, less some, but at least 0."""
        loc, exact, count = self.place(node), Kind("float64"), self._count(reduction, node)

        def over(sum_: ex.Expr, at: Sequence[ex.Expr]) -> Typed:
            number = count(at)
            if reduction.less:
                less, zero = (constant(n, loc).converted(exact, loc) for n in (reduction.less, 0))
                number = called("maximum", [build.binary("sub", number, less, loc), zero], exact, loc).node
            divisor = build.convert(number, kind.part.core if kind.is_complex else kind.core, loc)
            if kind.is_complex:
                return Typed(complex_arithmetic.over_real(self.kept(sum_), self.kept(divisor), kind, loc), kind)
            return Typed(build.binary("div", sum_, divisor, loc), kind)

        if isinstance(total, Typed):
            return self.keep(over(total.node, ()))
        each = lambda at: over(build.load(self.lvalue(total, at, loc), loc), at)  # noqa: E731
        return self.array_of(kind, reduction.extents, each, node, total)

    def _count(self, reduction: Reduction, node: ast.expr) -> Callable[[Sequence[ex.Expr]], ex.Expr]:
        """How many elements meet in one of the result's, as a float: by its place, if a mask tells."""
        loc, mask, exact = self.place(node), reduction.mask, Kind("float64").core
        extents = tuple(reduction.shape[k] for k in reduction.axes)
        if mask is None:  # a product of integers would be no affine function
            sizes = [build.convert(self.length(extent).node, exact, loc) for extent in extents]
            one = constant(1, loc).converted(Kind("float64"), loc)
            number = reduce(lambda product, size: build.binary("mul", product, size, loc), sizes) if sizes else one
            return lambda at: number
        whole, own = Kind("int64"), (None,) * len(reduction.shape) + self.shape_of(mask)
        others = [own[k - len(reduction.shape)] for k in range(len(reduction.shape)) if k not in reduction.axes]
        alone = all(e is None or is_one(e) for e in others)  # the same elements for each of the result's
        zeros = [build.integer(0, I64, loc)] * len(reduction.extents)

        def counts(at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
            place = reduction.operand_place(zeros if alone else at, along)
            return build.convert(self.holds(mask, place, loc), whole.core, loc)

        found = self.folded(Folding(Fold("sum", whole), () if alone else reduction.extents, extents, counts), node)
        if isinstance(found, Typed):
            selected = found.node
            return lambda at: build.convert(selected, exact, loc)
        each = found
        return lambda at: build.convert(build.load(self.lvalue(each, at, loc), loc), exact, loc)

    def _spread(self, reduction: Reduction, node: ast.expr) -> View:
        """What keeps its axes, as a part of an array that has them not."""
        made = self._reduced(replace(reduction, keeps=False), node, None)
        assert isinstance(made, View)
        rest = [k for k in range(len(reduction.shape)) if k not in reduction.axes]
        indices = tuple(i if i.axis is None else replace(i, axis=rest[i.axis]) for i in made.indices)
        return View(made.name, indices, reduction.extents)

    def folded(self, folding: Folding, node: ast.expr, into: View | None = None) -> View | Typed:
        """Loops that fold elements: into a variable, or into an element of an array for each place of the result."""
        fold, extents, loc = folding.fold, folding.extents, self.place(node)
        if not extents:
            self.ask()
            variable = self.hidden("fold", fold.kind.core, loc)
            self.declare(variable, folding.start(loc).converted(fold.kind, loc), loc)
            self._accumulate(folding, (), build.name(variable, loc), loc)
            return Typed(build.read(variable, loc), fold.kind)
        view = into or self.temporary(fold.kind, extents, node)
        self.ask()

        def each(at: list[ex.Expr]) -> None:
            self.put(view, at, folding.start(loc), loc)
            self._accumulate(folding, at, self.lvalue(view, at, loc), loc)

        self.over(extents, view.name, each, loc)
        return view

    def _accumulate(self, folding: Folding, at: Sequence[ex.Expr], target: ex.Lvalue, loc: Loc) -> None:
        """The loops for one place of the result."""

        def each(along: list[ex.Expr]) -> None:
            new = folding.element(at, along)
            self.out.append(st.Assign(target, folding.fold.joined(build.load(target, loc), new, loc), loc))

        self.over(folding.inner, "k", each, loc)


def _is_dot(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("dot")


def _post_order(node: ast.AST) -> Iterator[ast.expr]:
    parts = ast.iter_child_nodes(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "_each":
        parts = iter(())  # what is in it is made in its loops
    for part in parts:
        yield from _post_order(part)
    if isinstance(node, ast.expr):
        yield node
