"""Shapes of array expressions, by the rules of broadcasting, and their elements as expressions of numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.frontend.python.arrays import Arrays
from raising.frontend.python.module import refused
from raising.frontend.python.scopes import mentioned
from raising.frontend.python.typed_nodes import Typed, called, chosen
from raising.frontend.python.types import of_both
from raising.frontend.python.whole_arrays.array_parts import Along, View
from raising.frontend.python.whole_arrays.canonical_extents import expression, polynomial
from raising.support.source import Loc

T = TypeVar("T")
_CLASSES = ("numpy.isnan", "numpy.isinf", "numpy.isfinite", "numpy.signbit")
Shape = tuple[ast.expr, ...]
_OPERATORS: dict[str, ast.operator] = {
    "add": ast.Add(), "subtract": ast.Sub(), "multiply": ast.Mult(), "divide": ast.Div(), "true_divide": ast.Div(),
    "floor_divide": ast.FloorDiv(), "mod": ast.Mod(), "remainder": ast.Mod(),
}  # fmt: skip


class Elementwise(Arrays):
    """Translates elements of array expressions: `at` are the indices of the one that is asked for."""

    at: tuple[ex.Expr, ...] | None = None

    def begin(self) -> None:
        """Forget all statements, and what was made before them."""
        super().begin()
        self.made: dict[int, tuple[ast.expr, View | Typed]] = {}  # by their syntax, what stands before a loop
        self.asked: list[tuple[str, ast.expr, ast.expr, ast.expr]] = []  # what shapes have to fulfil

    def rehearsed(self, make: Callable[[], T]) -> T:
        """What something gives, with nothing kept of what it adds."""
        made, asked = self.made, self.asked
        self.made, self.asked = dict(made), list(asked)
        try:
            return super().rehearsed(make)
        finally:
            self.made, self.asked = made, asked

    # ---- elements ----------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Typed:
        """An expression, or an element of one."""
        made = self._before(node)
        if isinstance(made, Typed):
            return made
        view = self.view(node)
        if view is None or (not view.extents and is_plain(node)):
            return super().value(node)
        if view.extents and self.at is None:
            raise refused(self.module, node, f"array '{view.name}' is used whole where a number is needed")
        return self._load(view, self.place(node))

    def _before(self, node: ast.expr) -> View | Typed | None:
        known = self.made.get(id(node))
        return known[1] if known is not None else None

    def _load(self, view: View, loc: Loc) -> Typed:
        return Typed(build.load(self.lvalue(view, self.at or (), loc), loc), self.arrays[view.name].kind)

    def lvalue(self, view: View, at: Sequence[ex.Expr], loc: Loc) -> ex.Lvalue:
        """An element of a part of an array."""
        found: ex.Lvalue = build.name(self.memory(view.name, loc), loc)
        for subscript in view.subscripts(at, loc):
            found = build.element(found, subscript, loc)
        return found

    def element_of(self, node: ast.expr, at: Sequence[ex.Expr]) -> Typed:
        """An element of an array expression."""
        outer, self.at = self.at, tuple(at)
        try:
            return self.value(node)
        finally:
            self.at = outer

    def call(self, node: ast.Call, loc: Loc) -> Typed:
        """The value of a call of a function that works on elements."""
        home, _, name = self.module.dotted(node.func).rpartition(".")
        if isinstance(node.func, ast.Attribute) and self._is_method(node.func):
            return self._method(node, node.func, loc)
        if home == "numpy" and not node.keywords:
            if name in _OPERATORS and len(node.args) == 2:
                left, right = self.values(node.args)
                made = ast.copy_location(ast.BinOp(node.args[0], _OPERATORS[name], node.args[1]), node)
                return self.combined(made, left, right, loc)
            if name in ("where", "clip") and len(node.args) == 3:
                return self._of_three(name, self.values(node.args), loc)
        return super().call(node, loc)

    def _is_method(self, function: ast.Attribute) -> bool:
        """Whether a call is one of a method of an array or of an array expression."""
        return self.view(function.value) is not None or not self.module.dotted(function)

    def _method(self, node: ast.Call, method: ast.Attribute, loc: Loc) -> Typed:
        """`A.astype(t)` and `A.copy()`."""
        if method.attr == "astype" and len(node.args) == 1 and not node.keywords:
            kind, value = self.dtype(node.args[0], node), self.value(method.value)
            if kind is not None and not (kind.is_bool and value.kind.is_float):
                strong = type(kind)(kind.dtype)
                return Typed(value.converted(strong, loc), strong)
        if method.attr == "copy" and not node.args and not node.keywords:
            return self.value(method.value)
        raise refused(self.module, node, f"a method of an array: '{method.attr}'")

    def _of_three(self, name: str, values: list[Typed], loc: Loc) -> Typed:
        if name == "where":
            test = build.as_truth(values[0].converted(values[0].kind, loc), loc)
            return chosen(test, values[1], values[2], of_both(values[1].kind, values[2].kind), loc)
        kind = of_both(of_both(values[0].kind, values[1].kind), values[2].kind)
        self.check_fits(values, kind, loc)
        found, low, high = (v.converted(kind, loc) for v in values)
        if kind.is_float:
            return called("minimum", [called("maximum", [found, low], kind, loc).node, high], kind, loc)
        above = Typed(
            self.kept(chosen(build.compare("lt", found, low, loc), values[1], values[0], kind, loc).node), kind
        )
        return chosen(build.compare("gt", above.node, high, loc), values[2], above, kind, loc)

    # ---- parts of arrays ---------------------------------------------------------------------------

    def view(self, node: ast.expr) -> View | None:
        """The part of an array that an expression names; None for other expressions."""
        made, loc = self._before(node), self.place(node)
        if isinstance(made, View):
            return made
        if isinstance(node, ast.Name):
            return self.whole(node.id, loc) if node.id in self.arrays else None
        whole = self.whole_of_part(node)
        base = None if whole is None else self.view(whole)
        return None if base is None else self.part_of(base, node)

    def whole_of_part(self, node: ast.expr) -> ast.expr | None:
        """The array of which an expression names a part, or the elements in another order."""
        if isinstance(node, ast.Subscript):
            return None if self.is_mask(node.slice) else node.value
        return node.value if isinstance(node, ast.Attribute) and node.attr == "T" else None

    def part_of(self, base: View, node: ast.expr) -> View:
        """What an expression names of its whole."""
        return self.part(base, node, self.place(node)) if isinstance(node, ast.Subscript) else base.transposed

    def is_mask(self, node: ast.expr) -> bool:
        """Whether an expression is an array of truth values, which as a subscript selects elements."""
        match node:
            case ast.Name(id=name):
                return name in self.arrays and self.arrays[name].kind.is_bool
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() | ast.BitXor(), right=right):
                return self.is_mask(left) or self.is_mask(right)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self.is_mask(operand)
            case ast.Call(func=function) if self.module.dotted(function) in _CLASSES:
                return bool(self.shape_of(node))
        return isinstance(node, ast.Compare) and bool(self.shape_of(node))

    def whole(self, name: str, loc: Loc) -> View:
        """An array as it is."""
        extents = tuple(self.canonical(e) for e in self.arrays[name].extents)
        return View(name, tuple(Along(_integer(0, loc), 1, k) for k in range(len(extents))), extents)

    def part(self, base: View, node: ast.Subscript, loc: Loc) -> View:
        """A part of a part, by subscripts."""
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        rest = len(base.extents) - sum(not (_is(p, None) or _is(p, ...)) for p in parts)
        if rest < 0 or sum(_is(p, ...) for p in parts) > 1:
            raise refused(self.module, node, f"more subscripts than dimensions of array '{base.name}'")
        if not any(_is(p, ...) for p in parts):
            parts.append(ast.copy_location(ast.Constant(...), node))
        along: list[Along] = []
        extents: list[ast.expr] = []
        for part in parts:
            if _is(part, None):
                extents.append(ast.copy_location(ast.Constant(1), part))
                continue
            for _ in range(rest if _is(part, ...) else 1):
                one, extent = self._along(part, base.extents[len(along)], len(extents), loc)
                along.append(one)
                extents += [] if extent is None else [extent]
        return base.part(along, tuple(extents), loc)

    def _along(self, part: ast.expr, extent: ast.expr, axis: int, loc: Loc) -> tuple[Along, ast.expr | None]:
        """What one subscript makes of a dimension, and the extent of the axis that it leaves."""
        if _is(part, ...):
            return Along(_integer(0, loc), 1, axis), extent
        if isinstance(part, ast.Slice):
            return self._slice(part, extent, axis)
        if self.shape_of(part):
            raise refused(self.module, part, "a subscript that is an array")
        outer, self.at = self.at, None
        try:
            return Along(build.convert(self.index(part, extent), I64, loc)), None
        finally:
            self.at = outer

    def _slice(self, part: ast.Slice, extent: ast.expr, axis: int) -> tuple[Along, ast.expr]:
        step = 1 if part.step is None else self.module.number(part.step)
        if not isinstance(step, int) or step == 0:
            raise refused(self.module, part, "a slice whose step is not a constant other than 0")
        place, known = part.lower or part.upper or extent, polynomial(extent, self.meaning)
        low, high = (None if b is None else self.module.number(b) for b in (part.lower, part.upper))
        clear = all(b is None or isinstance(n, int) for b, n in ((part.lower, low), (part.upper, high)))
        if known is not None and known.constant is not None and clear:
            places = range(*slice(low, high, step).indices(known.constant))
            start = places.start if places else 0
            return Along(_integer(start, self.place(part)), step, axis), ast.copy_location(
                ast.Constant(len(places)), place
            )
        low_, high_ = self._bounds(part, (low, high), extent, step)
        size = _minus(high_, low_, step, place)
        start_ = ast.copy_location(self.canonical(low_), place)
        return Along(self.size(start_), step, axis), self.canonical(size)

    def _bounds(
        self, part: ast.Slice, known: Sequence[int | float | None], extent: ast.expr, step: int
    ) -> tuple[ast.expr, ast.expr]:
        """Where a slice begins and ends, if neither lies outside of the array: that is asked where it is not clear."""
        low: ast.expr = ast.Constant(0) if step > 0 else ast.BinOp(extent, ast.Sub(), ast.Constant(1))
        high: ast.expr = extent if step > 0 else ast.Constant(-1)
        if part.lower is not None:
            low = self._end(part.lower, known[0], extent)
            if step < 0:
                self.asked.append(("slices end in their arrays", extent, _plus(low, 1), part.lower))
        if part.upper is not None and step < 0:
            raise refused(self.module, part, "a slice that goes backwards to a place that is not the first")
        if part.upper is not None:
            high = self._end(part.upper, known[1], extent)
            if known[1] is None:
                self.asked.append(("slices end at no negative place", high, ast.Constant(0), part.upper))
            if known[1] is None or known[1] > 0:
                self.asked.append(("slices end in their arrays", extent, high, part.upper))
        return low, high

    def _end(self, node: ast.expr, number: int | float | None, extent: ast.expr) -> ast.expr:
        if number is None and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            why = "a negative bound of a slice counts from the end of its array"
            self.asked.append((why, node.operand, ast.copy_location(ast.Constant(1), node), node))
            self.asked.append((why, extent, node.operand, node))
            node = ast.fix_missing_locations(ast.copy_location(ast.BinOp(extent, ast.Sub(), node.operand), node))
        if number is None and polynomial(node, self.meaning) is None:
            raise refused(self.module, node, "a bound of a slice that is not a sum of sizes and counters")
        if number is None or number >= 0:
            return node
        return ast.copy_location(ast.BinOp(extent, ast.Add(), ast.Constant(number)), node)

    # ---- shapes ------------------------------------------------------------------------------------

    def shape_of(self, node: ast.expr) -> Shape:
        """The extents of an expression; none for a number."""
        if isinstance(self._before(node), Typed):
            return ()
        view = self.view(node)
        if view is not None:
            return view.extents
        match node:
            case ast.BinOp(left=left, right=right):
                return self.broadcast([left, right], node)
            case ast.UnaryOp(op=ast.Not(), operand=operand) | ast.IfExp(test=operand) if self.shape_of(operand):
                raise refused(self.module, operand, "a whole array as a condition")
            case ast.UnaryOp(operand=operand):
                return self.shape_of(operand)
            case ast.Compare(left=left, comparators=[right]):
                return self.broadcast([left, right], node)
            case ast.IfExp(body=body, orelse=orelse):
                return self._either_shape(body, orelse, node)
            case ast.Call():
                return self.shape_of_call(node)
        return ()

    def _either_shape(self, body: ast.expr, orelse: ast.expr, node: ast.expr) -> Shape:
        """The extents of what a condition chooses: nothing is spread to them."""
        shapes = self.shape_of(body), self.shape_of(orelse)
        if len(shapes[0]) != len(shapes[1]):
            raise refused(self.module, node, "arrays of several numbers of dimensions, as a condition decides")
        return tuple(self.joined_extent(a, b, node, spread=False) for a, b in zip(*shapes, strict=True))

    def shape_of_call(self, node: ast.Call) -> Shape:
        """The extents of what a function of elements gives."""
        if isinstance(node.func, ast.Attribute) and self._is_method(node.func):
            return self.shape_of(node.func.value)
        found = self.broadcast(node.args, node)
        name = self.module.dotted(node.func)
        if found and self.extent(node) is None and not name.startswith("numpy.") and name != "abs":
            raise refused(self.module, node, f"calls '{name or '...'}' with a whole array")
        return () if self.extent(node) is not None else found

    def broadcast(self, nodes: Sequence[ast.expr], place: ast.expr) -> Shape:
        """The common extents of several expressions."""
        found: Shape = ()
        for shape in [self.shape_of(n) for n in nodes]:
            rank = max(len(found), len(shape))
            one = ast.copy_location(ast.Constant(1), place)
            both = [((one,) * (rank - len(s)) + s) for s in (found, shape)]
            found = tuple(self.joined_extent(a, b, place) for a, b in zip(*both, strict=True))
        return found

    def joined_extent(self, a: ast.expr, b: ast.expr, place: ast.expr, spread: bool = True) -> ast.expr:
        """The extent of two that meet: one of them may be 1 if that is to `spread`, else they have to be equal."""
        forms = polynomial(a, self.meaning), polynomial(b, self.meaning)
        if forms[0] is None or forms[1] is None:
            raise refused(self.module, place, "arrays whose extents cannot be compared")
        if spread and forms[0].constant == 1:
            return b
        gap = (forms[0] - forms[1]).constant
        if gap == 0 or spread and forms[1].constant == 1:
            return a
        if gap is not None:
            raise refused(self.module, place, f"arrays that do not fit: {ast.unparse(a)} beside {ast.unparse(b)}")
        self.asked += [
            ("arrays that meet have one shape", a, b, place),
            ("arrays that meet have one shape", b, a, place),
        ]
        return a

    def canonical(self, node: ast.expr) -> ast.expr:
        """An extent in the one form that equal ones have."""
        form = polynomial(node, self.meaning)
        return node if form is None else expression(form, node)

    def meaning(self, node: ast.expr) -> ast.expr | None:
        """What a name in an extent stands for, if it is set once to something that does not change."""
        if isinstance(node, ast.Name):
            number = None if node.id in self.kinds else self.module.number(node)
            if isinstance(number, int):
                return ast.copy_location(ast.Constant(number), node)
            return self.meanings[node.id] if self._is_fixed(node.id) else None
        return self.extent(node) if isinstance(node, ast.Subscript | ast.Call | ast.Attribute) else None

    def _extent_of(self, node: ast.expr) -> ast.expr | None:
        return self.extent(node) if isinstance(node, ast.Subscript | ast.Call | ast.Attribute) else None

    def _is_fixed(self, name: str) -> bool:
        """Whether a variable is set once, to an expression of what never changes."""
        if name in self.signature.order or name in self.signature.sizes:
            return False
        if self.times[name] != 1 or name not in self.meanings:
            return False
        form = polynomial(self.meanings[name], self._extent_of)
        if form is None:
            return False
        names = mentioned([expression(form, self.meanings[name])])
        return name not in names and all(self.times[n] == 0 or self._is_fixed(n) for n in names)


def _integer(value: int, loc: Loc) -> ex.Literal:
    return build.integer(value, I64, loc)


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def is_plain(node: ast.expr) -> bool:
    """True for an array's name with subscripts, none of which is a slice."""
    while isinstance(node, ast.Subscript):
        if any(isinstance(part, ast.Slice) for part in ast.walk(node.slice)):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def _plus(node: ast.expr, by: int) -> ast.expr:
    return ast.fix_missing_locations(ast.copy_location(ast.BinOp(node, ast.Add(), ast.Constant(by)), node))


def _minus(high: ast.expr, low: ast.expr, step: int, place: ast.expr) -> ast.expr:
    """The number of steps from `low` to `high`, at least 0."""
    gap = ast.BinOp(high, ast.Sub(), low) if step > 0 else ast.BinOp(low, ast.Sub(), high)
    rounded = ast.BinOp(gap, ast.Add(), ast.Constant(abs(step) - 1))
    found = ast.BinOp(rounded, ast.FloorDiv(), ast.Constant(abs(step)))
    return ast.fix_missing_locations(ast.copy_location(found, place))
