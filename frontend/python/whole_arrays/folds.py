"""What is made before the elements of an expression are asked for: reductions, products of matrices, and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import I64, Int
from raising.frontend.python.module import refused
from raising.frontend.python.typed_nodes import Typed, called, chosen, constant
from raising.frontend.python.types import Kind, of_both
from raising.frontend.python.whole_arrays.array_elements import Shape
from raising.frontend.python.whole_arrays.array_parts import Along, View
from raising.frontend.python.whole_arrays.masked import REDUCTIONS, Selections
from raising.support.record import dataclass
from raising.support.source import Loc

_PRODUCTS = ("dot", "matmul", "outer", "inner")


@dataclass(frozen=True)
class Product:
    """A product of two array expressions: the extents of the result, and of what is summed over (None: nothing)."""

    left: ast.expr
    right: ast.expr
    extents: Shape
    inner: ast.expr | None
    ranks: tuple[int, int]

    def indices(self, at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> tuple[list[ex.Expr], list[ex.Expr]]:
        """Where the operands' elements lie that meet at a place of the result and of the sum."""
        first = self.ranks[0] - len(along)
        left = [*at[:first], *along]
        behind = [*at[first:]]
        return left, [*along, *behind]


@dataclass(frozen=True)
class Reduction:
    """A reduction of an array expression over some of its axes; a mean divides by `less` fewer than it adds.

    With a `mask`, the elements are those where it holds. Of `some`, there has to be one.
    """

    kind: str
    operand: ast.expr
    axes: tuple[int, ...]
    keeps: bool
    shape: Shape
    less: int = 0
    mask: ast.expr | None = None
    some: bool = False

    @property
    def extents(self) -> Shape:
        """The extents of the result."""
        one = ast.Constant(1)
        kept = [one if k in self.axes else e for k, e in enumerate(self.shape) if self.keeps or k not in self.axes]
        return tuple(ast.fix_missing_locations(ast.copy_location(e, self.operand)) if e is one else e for e in kept)


@dataclass(frozen=True)
class Making:
    """The extents of what a call makes, and what makes it."""

    extents: Shape
    make: Callable[[], View | Typed]


class Folds(Selections):
    """Makes reductions, products and calls before the expression that they stand in."""

    def prepare(self, node: ast.expr, into: View | None = None) -> None:
        """Make what stands inside of an expression, innermost first; the whole of it in an array if one is given."""
        for part in _post_order(node):
            product, reduction = self._product(part), self._reduction(part)
            target = into if part is node else None
            if product is not None:
                self.made[id(part)] = part, self._multiplied(product, part, target)
            elif reduction is not None:
                self.made[id(part)] = part, self._reduced(reduction, part, target)
            elif isinstance(part, ast.Call) and self.module.dotted(part.func) in self.module.functions:
                self.made[id(part)] = part, self._called_first(part)
            elif (making := self.making(part)) is not None:
                self.made[id(part)] = part, making.make()
            elif self._is_of_expression(part):
                assert isinstance(part, ast.Subscript)
                self.made[id(part.value)] = part.value, self._laid_down(part.value)

    def _is_of_expression(self, node: ast.expr) -> bool:
        """Whether a part is taken of an array expression that is no part of an array itself."""
        if not isinstance(node, ast.Subscript) or self.is_mask(node.slice) and self.view(node.value) is not None:
            return False
        return self.view(node) is None and bool(self.shape_of(node.value))

    def making(self, node: ast.expr) -> Making | None:
        """How a call of NumPy's makes an array of others; None for other expressions."""
        return None

    def made_before(self, node: ast.expr) -> bool:
        """Whether an expression was made already."""
        return self._before(node) is not None

    def _laid_down(self, node: ast.expr) -> View:
        """An array expression of which a part is taken, in an array."""
        shape, loc = self.shape_of(node), self.place(node)
        self.ask()
        view = self.temporary(self.kind_of(node, len(shape)), shape, node)
        self.over(shape, view.name, lambda at: self.put(view, at, self.element_of(node, at), loc), loc)
        return view

    def is_fold(self, node: ast.expr) -> bool:
        """True for an expression that is made in an array."""
        return self._product(node) is not None or self._reduction(node) is not None

    def call(self, node: ast.Call, loc: Loc) -> Typed:
        """The value of a call; of a reduction to a number, behind its loops."""
        return self._scalar(node) or super().call(node, loc)

    def combined(self, node: ast.BinOp | ast.AugAssign, left: Typed, right: Typed, loc: Loc) -> Typed:
        """An operator on two values."""
        if isinstance(node.op, ast.MatMult):
            raise refused(self.module, node, "a product of matrices that are none")
        return super().combined(node, left, right, loc)

    def value(self, node: ast.expr) -> Typed:
        """An expression; a product of vectors stands behind its loops."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and self._before(node) is None:
            found = self._scalar(node)
            if found is not None:
                return found
        return super().value(node)

    def _scalar(self, node: ast.expr) -> Typed | None:
        fold = self._product(node) or self._reduction(node) or self.making(node)
        if fold is None:
            return None
        if fold.extents:
            raise refused(self.module, node, "an array is used where a number is needed")
        outer, self.at = self.at, None
        try:
            self.prepare(node)
        finally:
            self.at = outer
        made = self.made.pop(id(node))[1]
        assert isinstance(made, Typed)
        return made

    def shape_of(self, node: ast.expr) -> Shape:
        """The extents of an expression; none for a number."""
        if self._before(node) is None:
            fold = self._product(node) or self._reduction(node)
            if fold is not None:
                return fold.extents
            if isinstance(node, ast.Call) and self.module.dotted(node.func) in self.module.functions:
                shapes = self.result_shapes(node)
                if len(shapes) > 1:
                    raise refused(self.module, node, f"a call that gives {len(shapes)} arrays, inside of an expression")
                return tuple(self.canonical(e) for e in shapes[0].extents) if shapes else ()
            if (making := self.making(node)) is not None:
                return making.extents
            if isinstance(node, ast.Subscript) and self.view(node) is None and (shape := self.shape_of(node.value)):
                zero = build.integer(0, I64, self.place(node))
                whole = View("", tuple(Along(zero, 1, k) for k in range(len(shape))), shape)
                return self.rehearsed(lambda: self.part(whole, node, self.place(node)).extents)
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
        if operands is None or self._before(node) is not None:
            return None
        shapes = [self.shape_of(o) for o in operands]
        if isinstance(node, ast.Call) and self.module.dotted(node.func) == "numpy.outer":
            if any(len(s) != 1 for s in shapes):
                raise refused(self.module, node, "an outer product of other than two vectors")
            return Product(*operands, (*shapes[0], *shapes[1]), None, (1, 1))
        if any(len(s) not in (1, 2) for s in shapes):
            raise refused(self.module, node, "a product of other than vectors and matrices")
        inner = self.joined_extent(shapes[0][-1], shapes[1][0], node)
        return Product(*operands, (*shapes[0][:-1], *shapes[1][1:]), inner, (len(shapes[0]), len(shapes[1])))

    def _operands(self, node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return node.left, node.right
        if not isinstance(node, ast.Call) or node.keywords:
            return None
        home, _, name = self.module.dotted(node.func).rpartition(".")
        if home == "numpy" and name in _PRODUCTS[:3] and len(node.args) == 2:
            return node.args[0], node.args[1]
        method = node.func if isinstance(node.func, ast.Attribute) and node.func.attr == "dot" else None
        if method is not None and len(node.args) == 1 and home != "numpy" and self.shape_of(method.value):
            return method.value, node.args[0]
        return None

    def _multiplied(self, product: Product, node: ast.expr, into: View | None) -> View | Typed:
        loc = self.place(node)
        kinds = [self.kind_of(o, r) for o, r in zip((product.left, product.right), product.ranks, strict=True)]
        kind = of_both(*kinds)
        if kind.is_bool:
            raise refused(self.module, node, "a product of truth values")

        def factor(at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
            places = product.indices(at, along)
            pairs = zip((product.left, product.right), places, strict=True)
            a, b = (self.element_of(o, p).converted(kind, loc) for o, p in pairs)
            return build.binary("mul", a, b, loc, kind.wraps)

        if product.inner is None:
            view = into or self.temporary(kind, product.extents, node)
            self.ask()
            self.over(product.extents, view.name, lambda at: self.put(view, at, Typed(factor(at, ()), kind), loc), loc)
            return view
        extents = (product.inner,)
        return self.folded("sum", kind, product.extents, extents, factor, node, into)

    # ---- reductions --------------------------------------------------------------------------------

    def _reduction(self, node: ast.expr) -> Reduction | None:
        if not isinstance(node, ast.Call) or self._before(node) is not None:
            return None
        home, _, name = self.module.dotted(node.func).rpartition(".")
        positional = list(node.args)
        if home == "numpy" and name in REDUCTIONS and positional:
            operand = positional.pop(0)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in REDUCTIONS:
            operand, name = node.func.value, node.func.attr
        else:
            return None
        operand, mask = self.selected(operand) or (operand, None)
        shape = self.shape_of(operand)
        if not shape and home != "numpy":
            return None
        given = {k.arg: k.value for k in node.keywords} | ({"axis": positional[0]} if positional else {})
        less = self.module.number(given.pop("ddof")) if name == "_mean" else 0  # the name stands in definitions only
        if not isinstance(less, int):
            raise refused(self.module, node, "ddof that is not a constant integer")
        if not shape or given.keys() - {"axis", "keepdims"} or len(positional) > 1:
            raise refused(self.module, node, f"this use of '{name}'; axis= and keepdims= are supported, of an array")
        axes = self.axes(given.get("axis"), len(shape), node)
        if mask is not None and len(axes) < len(shape):
            raise refused(self.module, node, "a reduction of a selection along some of its axes")
        keeps = given.get("keepdims", ast.Constant(False))
        if not isinstance(keeps, ast.Constant) or not isinstance(keeps.value, bool):
            raise refused(self.module, node, "keepdims that is not True or False")
        some = REDUCTIONS[name] in ("max", "min") and not name.startswith("_") and mask is None
        return Reduction(REDUCTIONS[name], operand, axes, keeps.value, shape, less, mask, some)

    def axes(self, axis: ast.expr | None, rank: int, node: ast.expr) -> tuple[int, ...]:
        """The axes that an option means; all without one."""
        if axis is None or (isinstance(axis, ast.Constant) and axis.value is None):
            return tuple(range(rank))
        numbers = [self.module.number(a) for a in (axis.elts if isinstance(axis, ast.Tuple) else [axis])]
        if not all(isinstance(n, int) and -rank <= n < rank for n in numbers):
            raise refused(self.module, node, "an axis that is not a constant, or that the array does not have")
        return tuple(sorted({cast(int, n) % rank for n in numbers}))

    def _reduced(self, reduction: Reduction, node: ast.expr, into: View | None) -> View | Typed:
        rank, loc = len(reduction.shape), self.place(node)
        if reduction.some:
            one = ast.copy_location(ast.Constant(1), node)
            self.asked += [("there is an element to be found", reduction.shape[k], one, node) for k in reduction.axes]
        if reduction.keeps and into is None and len(reduction.axes) < rank:
            return self._spread(reduction, node)
        kind, axes, keeps = self.kind_of(reduction.operand, rank), reduction.axes, reduction.keeps
        name, kind = reduction.kind, kind_of_fold(reduction.kind, kind)

        def element(at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
            rest, inside = iter([i for k, i in enumerate(at) if not (keeps and k in axes)]), iter(along)
            place = [next(inside) if k in axes else next(rest) for k in range(rank)]
            found = self.element_of(reduction.operand, place).converted(kind, loc)
            if reduction.mask is None:
                return found
            start = start_of_fold("sum" if name == "mean" else name, kind, loc)
            return chosen(self.holds(reduction.mask, place, loc), Typed(found, kind), start, kind, loc).node

        extents = tuple(reduction.shape[k] for k in axes)
        found = self.folded("sum" if name == "mean" else name, kind, reduction.extents, extents, element, node, into)
        if name != "mean":
            return found
        count = self._count(reduction, node)
        if reduction.less:
            rest = build.binary("sub", count, constant(reduction.less, loc).converted(Kind("float64"), loc), loc)
            count = called(
                "maximum", [rest, constant(0, loc).converted(Kind("float64"), loc)], Kind("float64"), loc
            ).node
        divisor = build.convert(count, kind.core, loc)
        if isinstance(found, Typed):
            return Typed(self.kept(build.binary("div", found.node, divisor, loc)), kind)

        def divide(at: list[ex.Expr]) -> None:
            old = build.load(self.lvalue(found, at, loc), loc)
            self.put(found, at, Typed(build.binary("div", old, divisor, loc), kind), loc)

        self.over(reduction.extents, found.name, divide, loc)
        return found

    def _count(self, reduction: Reduction, node: ast.expr) -> ex.Expr:
        """How many elements meet in one of the result's, as a float."""
        loc, mask, exact = self.place(node), reduction.mask, Kind("float64").core
        extents = tuple(reduction.shape[k] for k in reduction.axes)
        if mask is not None:

            def one(at: Sequence[ex.Expr], along: Sequence[ex.Expr]) -> ex.Expr:
                return build.convert(self.holds(mask, along, loc), Kind("int64").core, loc)

            found = self.folded("sum", Kind("int64"), (), extents, one, node, None)
            assert isinstance(found, Typed)
            return build.convert(found.node, exact, loc)
        count = build.convert(self.size(extents[0]), exact, loc)  # a product of integers would be no affine function
        for extent in extents[1:]:
            count = build.binary("mul", count, build.convert(self.size(extent), exact, loc), loc)
        return count

    def _spread(self, reduction: Reduction, node: ast.expr) -> View:
        """What keeps its axes, as a part of an array that has them not."""
        made = self._reduced(replace(reduction, keeps=False), node, None)
        assert isinstance(made, View)
        rest = [k for k in range(len(reduction.shape)) if k not in reduction.axes]
        indices = tuple(i if i.axis is None else replace(i, axis=rest[i.axis]) for i in made.indices)
        return View(made.name, indices, reduction.extents)

    def folded(
        self,
        name: str,
        kind: Kind,
        extents: Shape,
        inner: Shape,
        element: Callable[[Sequence[ex.Expr], Sequence[ex.Expr]], ex.Expr],
        node: ast.expr,
        into: View | None,
    ) -> View | Typed:
        """Loops that fold elements: into a variable, or into an element of an array for each place of the result."""
        loc, kind = self.place(node), Kind(kind.dtype)
        start = start_of_fold(name, kind, loc)
        if not extents:
            self.ask()
            variable = self.hidden("fold", kind.core, loc)
            self.declare(variable, start.converted(kind, loc), loc)
            target = build.name(variable, loc)
            self._accumulated(name, kind, target, inner, lambda along: element((), along), loc)
            return Typed(build.read(variable, loc), kind)
        view = into or self.temporary(kind, extents, node)
        self.ask()

        def each(at: list[ex.Expr]) -> None:
            self.put(view, at, start, loc)
            self._accumulated(name, kind, self.lvalue(view, at, loc), inner, lambda along: element(at, along), loc)

        self.over(extents, view.name, each, loc)
        return view

    def _accumulated(
        self,
        name: str,
        kind: Kind,
        target: ex.Lvalue,
        inner: Shape,
        element: Callable[[list[ex.Expr]], ex.Expr],
        loc: Loc,
    ) -> None:
        def body(along: list[ex.Expr]) -> None:
            new = element(along)
            old = build.load(target, loc)
            self.out.append(st.Assign(target, folded_with(name, old, new, kind, loc), loc))

        self.over(inner, "k", body, loc)


def kind_of_fold(name: str, kind: Kind) -> Kind:
    """In which kind NumPy folds elements of a kind."""
    if kind.is_complex:
        return Kind(kind.dtype)
    if name == "mean" and not kind.is_float:
        return Kind("float64")
    if name in ("sum", "prod") and not kind.is_float:
        return Kind("uint64" if kind.dtype.startswith("uint") else "int64")
    return Kind(kind.dtype)


def start_of_fold(name: str, kind: Kind, loc: Loc) -> Typed:
    """What a fold of nothing gives; of `max` and `min`, for which NumPy has nothing, what any element replaces."""
    if name in ("sum", "prod"):
        return constant(int(name == "prod"), loc)
    if kind.is_float:
        return constant(-inf if name == "max" else inf, loc)
    t = kind.core
    low, high = t.range if isinstance(t, Int) else (0, 1)
    return Typed(ex.Literal(low if name == "max" else high, t, loc), kind)


def folded_with(name: str, old: ex.Expr, new: ex.Expr, kind: Kind, loc: Loc) -> ex.Expr:
    """What was folded so far, and one element more."""
    if name in ("sum", "prod"):
        return build.binary("add" if name == "sum" else "mul", old, new, loc, kind.wraps)
    if kind.is_float:
        return called("maximum" if name == "max" else "minimum", [old, new], kind, loc).node
    test = build.compare("gt" if name == "max" else "lt", new, old, loc)
    return chosen(test, Typed(new, kind), Typed(old, kind), kind, loc).node


def _post_order(node: ast.AST) -> Iterator[ast.expr]:
    for part in ast.iter_child_nodes(node):
        yield from _post_order(part)
    if isinstance(node, ast.expr):
        yield node
