"""Expressions of Python as expressions of the core, with every conversion written out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import F64, I64, Int
from raising.frontend.python.annotations import Shaped
from raising.frontend.python.emission import Emission
from raising.frontend.python.module import Module, Number, refused
from raising.frontend.python.numpy_library import complex_arithmetic, numpy_quotients
from raising.frontend.python.numpy_library.integer_powers import of_integers
from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.typed_nodes import Typed, called, chosen, compared, constant, fits
from raising.frontend.python.types import BOOL, COMPLEX, FLOAT, INT, Kind, joined, of_both, of_quotient
from raising.frontend.python.whole_arrays.indexing.canonical_extents import of_integer, product_of
from raising.support.source import Loc

MAX_POWER = 4  # a larger one is a call of pow
_COMPARED: dict[type, ex.CompareOp] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_ARITHMETIC: dict[type, ex.BinaryOp] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
_QUOTIENTS: dict[type, ex.BinaryOp] = {ast.FloorDiv: "floordiv", ast.Mod: "floormod"}
_BITS: dict[type, ex.BinaryOp] = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
_SHIFTS: dict[type, ex.BinaryOp] = {ast.LShift: "shl", ast.RShift: "shr"}
_OF_TRUTHS: dict[type, ex.BinaryOp] = {**_BITS, ast.Add: "or", ast.Mult: "and"}


class Expressions(Emission):
    """Translates the expressions of one function."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module
        self.typing = False  # the kinds of variables are still looked for
        self.kinds: dict[str, Kind] = {}
        self.arrays: dict[str, Shaped] = {}

    def place(self, node: ast.AST) -> Loc:
        """Where a node starts."""
        return self.module.place(node)

    def value(self, node: ast.expr) -> Typed:
        """Translate an expression to its value."""
        loc = self.place(node)
        if (number := self._constant(node)) is not None:
            return constant(number, loc)
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise refused(self.module, node, f"{_article(node)} expression is not supported")
        return handler(self, node, loc)

    def _constant(self, node: ast.expr) -> Number | None:
        number = self.module.number(node)
        if number is None or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)):
            return None
        names = (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        return None if any(name in self.kinds or name in self.arrays for name in names) else number

    def values(self, nodes: Sequence[ast.expr]) -> list[Typed]:
        """Expressions, from left to right."""
        return self.in_order([partial(self.value, node) for node in nodes])

    def condition(self, node: ast.expr) -> ex.Expr:
        """An expression that is asked whether it is true."""
        loc = self.place(node)
        if isinstance(node, ast.BoolOp):  # of numbers, too, whose value nobody wants
            return self._decided(node, self.condition, loc)
        found = self.value(node)
        return build.as_truth(found.converted(found.kind, loc), loc)

    def integer(self, node: ast.expr) -> ex.Expr:
        """An expression that has to be an integer."""
        found = self.value(node)
        if found.kind.is_float or found.kind.is_bool:
            raise refused(self.module, node, "this has to be an integer")
        return found.converted(found.kind, self.place(node))

    def size(self, node: ast.expr) -> ex.Expr:
        """An integer of 64 bits."""
        return build.convert(self.integer(node), I64, self.place(node))

    def same(self, values: Sequence[Typed], nodes: Sequence[ast.expr]) -> Kind:
        """One kind for values of which one is taken."""
        kind = values[0].kind
        for value, node in zip(values[1:], nodes[1:], strict=True):
            both = joined(kind, value.kind)
            if both is None:
                raise refused(self.module, node, f"a {kind.dtype} or a {value.kind.dtype}, as data decides")
            kind = both
        for value, node in zip(values, nodes, strict=True):
            self.check_exact(value, kind, node)
        return kind

    def check_exact(self, value: Typed, kind: Kind, node: ast.expr) -> None:
        """A number of Python's that is of a narrower kind from now on has to be a constant, and fit."""
        if self.typing or not value.kind.weak or value.kind.dtype == kind.dtype or kind.weak or kind.dtype == "float64":
            return
        if value.number is None or not fits(value.number, kind):
            what = f"is computed as {value.kind.dtype} and then meets {kind.dtype}"
            raise refused(self.module, node, f"this number {what}; write which is meant, as in np.{kind.dtype}(...)")

    def check_fits(self, values: Sequence[Typed], kind: Kind, loc: Loc) -> None:
        """Integers of Python's that become ones of a narrower kind have to fit, which depends on more than types."""
        t = kind.core
        if kind.weak or not isinstance(t, Int) or (t.width == 64 and t.signed):
            return
        why = f"Python's integers fit {kind.dtype}, as NumPy wants it"
        for value in values:
            if value.number is not None or not value.kind.weak or value.kind.is_bool or value.kind.is_float:
                continue
            node = build.convert(value.node, I64, loc)
            ends: list[tuple[ex.CompareOp, int]] = [("ge", t.range[0])]
            ends += [("le", t.range[1])] if t.width < 64 else []
            for op, end in ends:
                test = build.compare(op, node, build.integer(end, I64, loc), loc)
                self.out.append(st.Assume(test, loc, why, needed=False))

    # ---- names and elements ------------------------------------------------------------------------

    def _name(self, node: ast.Name, loc: Loc) -> Typed:
        if node.id in self.kinds:
            return Typed(build.read(self.variable(node.id, self.kinds[node.id].core, loc), loc), self.kinds[node.id])
        if node.id in self.arrays:
            raise refused(self.module, node, f"array '{node.id}' is used whole; write the loops over its elements")
        raise refused(self.module, node, f"'{node.id}' is not known here, or its type is not")

    def _boolean(self, node: ast.Constant, loc: Loc) -> Typed:
        if isinstance(node.value, bool):
            return Typed(build.truth(node.value, loc), BOOL)
        if isinstance(node.value, complex):
            real, imaginary = (ex.Literal(part, F64, loc) for part in (node.value.real, node.value.imag))
            return Typed(complex_arithmetic.made(real, imaginary, COMPLEX, loc), COMPLEX)
        if name := getattr(node, "argument", ""):
            told = f"argument '{name}' is a {type(node.value).__name__}; a number or an array is needed"
            raise refused(self.module, node, told)
        raise refused(self.module, node, f"the constant {str(node.value)[:40]} is not supported")

    def element(self, node: ast.expr) -> tuple[ex.Lvalue, Shaped]:
        """An element or row of an array, and its shape: no extents for an element."""
        loc, levels, used = self.place(node), list[list[ast.expr]](), list[ast.expr]()
        while isinstance(node, ast.Subscript):
            levels.insert(0, list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice])
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.arrays:
            raise refused(self.module, node, "this is not an array whose shape is known")
        array = self.arrays[node.id]
        for parts in levels:
            others = [s for s in parts if not (isinstance(s, ast.Constant) and s.value is ...)]
            used += others if len(used) + len(others) == len(array.extents) else parts  # `x[..., 0]` of a vector
        if len(used) > len(array.extents):
            raise refused(self.module, node, f"more subscripts than dimensions of array '{node.id}'")
        found: ex.Lvalue = build.name(self.memory(node.id, loc), loc)
        for subscript, extent in zip(used, array.extents, strict=False):
            found = build.element(found, self.index(subscript, extent), loc)
        return found, Shaped(array.kind, array.extents[len(used) :])

    def memory(self, name: str, loc: Loc) -> st.Variable:
        """The variable that is an array."""
        raise NotImplementedError

    def index(self, node: ast.expr, extent: ast.expr) -> ex.Expr:
        """A subscript along a dimension; a constant that is negative counts from its end."""
        if isinstance(node, ast.Slice) or (isinstance(node, ast.Constant) and node.value in (None, ...)):
            raise refused(self.module, node, "a slice; write the loop over its elements")
        number = self._constant(node)
        if isinstance(number, int) and number < 0:
            end = ast.copy_location(ast.BinOp(extent, ast.Add(), ast.Constant(number)), node)
            return self.integer(ast.fix_missing_locations(end))
        return self.from_end(self.integer(node), extent, self.place(node))

    def from_end(self, found: ex.Expr, extent: ast.expr, loc: Loc) -> ex.Expr:
        """A subscript; of what is compiled as it is written, where it lies: one below 0 counts from the end."""
        form = of_integer(found)
        upwards = form is not None and form.names() <= self.upwards and all(c >= 0 for _, c in form.terms)
        unsigned = isinstance(found.type, Int) and not found.type.signed
        if upwards or unsigned or not self.module.as_written:
            return found
        own = build.convert(found, I64, loc)
        negative = build.compare("lt", own, build.integer(0, I64, loc), loc)
        return ex.Select(negative, build.binary("add", own, self.size(extent), loc), own, I64, loc)

    def _subscript(self, node: ast.Subscript, loc: Loc) -> Typed:
        extent = self.extent(node)
        if extent is not None:
            return self.length(extent)
        found, rest = self.element(node)
        if rest.extents:
            raise refused(self.module, node, "a row of an array is used whole; write the loop over its elements")
        return Typed(build.load(found, loc), rest.kind)

    def extent(self, node: ast.expr) -> ast.expr | None:
        """The extent that `A.shape[k]`, `len(A)` or `A.size` stands for; None for other expressions."""
        position: Number | None = None
        match node:
            case ast.Attribute(value=array, attr="size"):
                extents = self.extents_of(array)
                return None if extents is None else product_of(extents, node)
            case ast.Call(args=[array]) if self.module.dotted(node.func) == "len":
                position = 0
            case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=subscript):
                position = self.module.number(subscript)
        extents = self.extents_of(array) if isinstance(position, int) else None
        if not isinstance(position, int) or extents is None:
            return None
        if not -len(extents) <= position < len(extents):
            raise refused(self.module, node, "there is no such dimension")
        return extents[position]

    def extents_of(self, array: ast.expr) -> tuple[ast.expr, ...] | None:
        """The extents of an array or a row of one; None for other expressions."""
        if isinstance(array, ast.Subscript):
            return self.element(array)[1].extents
        return self.shape(array) if isinstance(array, ast.Name) else None

    def shape(self, node: ast.Name) -> tuple[ast.expr, ...]:
        """The extents of an array."""
        if node.id not in self.arrays:
            raise refused(self.module, node, f"'{node.id}' is not an array whose shape is known")
        return self.arrays[node.id].extents

    # ---- operators ---------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp, loc: Loc) -> Typed:
        left, right = self.values((node.left, node.right))
        return self.combined(node, left, right, loc)

    def combined(self, node: ast.BinOp | ast.AugAssign, left: Typed, right: Typed, loc: Loc) -> Typed:
        """An operator on two values."""
        op = type(node.op)
        if op is ast.Pow:
            return self._power(node, left, right, loc)
        kind = self._operated(node, left.kind, right.kind)
        if kind.is_complex:
            return self._of_complex(node, left.converted(kind, loc), right.converted(kind, loc), kind, loc)
        if kind.is_float and op in _QUOTIENTS:
            sides = [v.converted(kind, loc) for v in (left, right)]
            return Typed(numpy_quotients.of_floats(_QUOTIENTS[op], sides[0], sides[1], loc, self.kept), kind)
        self.check_fits((left, right), kind, loc)
        a, b = left.converted(kind, loc), right.converted(kind, loc)
        if kind.weak:
            self._not_zero(node, right, loc)
        if op in _QUOTIENTS:
            return Typed(numpy_quotients.quotient(_QUOTIENTS[op], a, b, kind, loc, self.kept), kind)
        if op in _SHIFTS:
            return Typed(numpy_quotients.shifted(_SHIFTS[op], a, b, kind, loc), kind)
        operations = _OF_TRUTHS if kind.is_bool else {**_ARITHMETIC, **_BITS}
        return Typed(build.binary(operations[op], a, b, loc, kind.wraps), kind)

    def _operated(self, node: ast.BinOp | ast.AugAssign, left: Kind, right: Kind) -> Kind:
        """The kind in which an operator computes, if it has one for these."""
        op = type(node.op)
        kind = of_quotient(left, right) if op is ast.Div else of_both(left, right)
        if kind.is_complex:
            return kind
        if op not in {*_ARITHMETIC, *_QUOTIENTS, *_BITS, *_SHIFTS} or kind.dtype == "float16":
            raise refused(self.module, node, f"operator {op.__name__} on these types is not supported")
        if kind.is_float and op not in {*_ARITHMETIC, *_QUOTIENTS}:
            raise refused(self.module, node, f"operator {op.__name__} on floating numbers")
        if not kind.is_bool or op in _BITS:
            return kind
        if not kind.weak and op not in _OF_TRUTHS:
            raise refused(self.module, node, f"operator {op.__name__} on truth values")
        return INT if kind.weak else kind

    def _not_zero(self, node: ast.BinOp | ast.AugAssign, divisor: Typed, loc: Loc) -> None:
        """Python divides by no number that is 0; what is rounded is taken to be divided by positive ones only."""
        if not isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            return
        if divisor.number is not None and not divisor.number:
            raise refused(self.module, node, "a division by zero")
        if divisor.kind.is_float or divisor.number is not None:
            return
        op: ex.CompareOp = "ne" if isinstance(node.op, ast.Div) else "gt"
        why = "divisors are not 0" if isinstance(node.op, ast.Div) else "divisors are positive"
        number = build.convert(divisor.node, I64, loc)
        test = build.compare(op, number, build.integer(0, I64, loc), loc)
        self.out.append(st.Assume(test, loc, why, needed=False))

    def _of_complex(self, node: ast.BinOp | ast.AugAssign, a: ex.Expr, b: ex.Expr, kind: Kind, loc: Loc) -> Typed:
        if isinstance(node.op, ast.Div):
            return Typed(complex_arithmetic.quotient(a, b, kind, loc, self.kept), kind)
        if type(node.op) not in _ARITHMETIC:
            raise refused(self.module, node, f"operator {type(node.op).__name__} on complex numbers")
        return Typed(build.binary(_ARITHMETIC[type(node.op)], a, b, loc), kind)

    def _power(self, node: ast.BinOp | ast.AugAssign, base: Typed, power: Typed, loc: Loc) -> Typed:
        left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        exponent = self.module.number(right)
        if isinstance(exponent, int) and 1 <= exponent <= MAX_POWER and not base.kind.is_bool:
            found = base
            for _ in range(exponent - 1):
                times = ast.copy_location(ast.BinOp(left, ast.Mult(), left), node)
                found = self.combined(times, found, base, loc)
            return found
        kind = of_both(base.kind, power.kind)
        if kind.is_complex:
            raise refused(self.module, node, f"a power of complex numbers other than 1 to {MAX_POWER}")
        if not kind.is_float:
            if not (kind.weak and isinstance(exponent, int) and exponent < 0):
                return of_integers(self, base, power)
            kind = FLOAT  # as Python has it
        if exponent == 0.5:
            return called("sqrt", [base.converted(kind, loc)], kind, loc)
        return called("pow", [v.converted(kind, loc) for v in (base, power)], kind, loc)

    def _unary(self, node: ast.UnaryOp, loc: Loc) -> Typed:
        if isinstance(node.op, ast.Not):
            return Typed(build.negated(self.condition(node.operand), loc), BOOL)
        value = self.value(node.operand)
        if value.kind.is_bool and isinstance(node.op, ast.Invert) and not value.kind.weak:
            return Typed(build.negated(build.as_truth(value.node, loc), loc), value.kind)
        if value.kind.is_bool:
            raise refused(self.module, node, "an operator on a truth value")
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Invert) and value.kind.is_float:
            raise refused(self.module, node, "operator Invert on floating numbers")
        op: ex.UnaryOp = "inv" if isinstance(node.op, ast.Invert) else "neg"
        return Typed(build.unary(op, value.converted(value.kind, loc), loc, value.kind.wraps), value.kind)

    def _compare(self, node: ast.Compare, loc: Loc) -> Typed:
        shapes = [self.parts_of(n) for n in (node.left, node.comparators[0])]
        plain = len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq)
        if shapes[0] is not None and shapes[1] is not None and plain:
            return self._compared_shapes(node, shapes[0], shapes[1], loc)
        left, right = self.values((node.left, node.comparators[0]))
        own = left.kind.weak and right.kind.weak
        return Typed(self._chain(node, 0, left, right, loc), BOOL if own else Kind("bool"))

    def parts_of(self, node: ast.expr) -> Sequence[ast.expr] | None:
        """The parts of a shape or of another tuple; None for other expressions."""
        raise NotImplementedError

    def _compared_shapes(
        self, node: ast.Compare, left: Sequence[ast.expr], right: Sequence[ast.expr], loc: Loc
    ) -> Typed:
        equal = isinstance(node.ops[0], ast.Eq)
        if not left or len(left) != len(right):
            return Typed(build.truth(equal == (len(left) == len(right)), loc), BOOL)
        pairs = zip(left, right, strict=True)
        each: list[ast.expr] = [ast.Compare(a, node.ops, [b]) for a, b in pairs]
        both = ast.BoolOp(ast.And() if equal else ast.Or(), each)
        return self.value(placed(both, node))

    def _chain(self, node: ast.Compare, k: int, left: Typed, right: Typed, loc: Loc) -> ex.Expr:
        """The comparisons from the one with number `k` on; what is behind one that fails is not evaluated."""
        found = self._related(node, node.ops[k], left, right, loc)
        if k + 1 == len(node.ops):
            return found
        return self.logical("and", found, partial(self._rest, node, k + 1, right, loc), loc)

    def _rest(self, node: ast.Compare, k: int, left: Typed, loc: Loc) -> ex.Expr:
        left, right = self.in_order([lambda: left, partial(self.value, node.comparators[k])])
        return self._chain(node, k, left, right, loc)

    def _related(self, node: ast.Compare, op: ast.cmpop, left: Typed, right: Typed, loc: Loc) -> ex.Expr:
        if type(op) not in _COMPARED:
            raise refused(self.module, node, f"comparison {type(op).__name__} is not supported")
        if left.kind.is_bool and right.number == 0 and isinstance(op, ast.NotEq):
            return build.as_truth(left.converted(left.kind, loc), loc)
        kind = compared(left, right, loc)
        if kind.is_complex:
            if not isinstance(op, ast.Eq | ast.NotEq):
                raise refused(self.module, node, "an order of complex numbers")
            ends = [self.kept(v.converted(kind, loc)) for v in (left, right)]
            return complex_arithmetic.equal(_COMPARED[type(op)], ends[0], ends[1], loc)
        sides = [v.converted(kind, loc) for v in (left, right)]
        return build.compare(_COMPARED[type(op)], sides[0], sides[1], loc)

    def _logic(self, node: ast.BoolOp, loc: Loc) -> Typed:
        kinds: set[Kind] = set()

        def truth(part: ast.expr) -> ex.Expr:
            value = self.value(part)
            if not value.kind.is_bool:
                raise refused(self.module, node, "'and' and 'or' of numbers; compare them with 0")
            kinds.add(value.kind)
            return value.node

        found = self._decided(node, truth, loc)
        return Typed(found, kinds.pop() if len(kinds) == 1 else BOOL)

    def _decided(self, node: ast.BoolOp, truth: Callable[[ast.expr], ex.Expr], loc: Loc) -> ex.Expr:
        """The truth values of all parts, of which the later ones are asked for if the earlier ones do not decide."""
        found = truth(node.values[0])
        for part in node.values[1:]:
            found = self.logical("and" if isinstance(node.op, ast.And) else "or", found, partial(truth, part), loc)
        return found

    def _choice(self, node: ast.IfExp, loc: Loc) -> Typed:
        test = self.condition(node.test)
        arms = [self.captured(partial(self.value, n)) for n in (node.body, node.orelse)]
        kind = self.same([arm for _, arm in arms], (node.body, node.orelse))
        if not any(made for made, _ in arms):
            return chosen(test, arms[0][1], arms[1][1], kind, loc)
        sides = [(made, arm.converted(kind, loc)) for made, arm in arms]
        return Typed(self.branched(test, sides[0], sides[1], loc), kind)

    def _attribute(self, node: ast.Attribute, loc: Loc) -> Typed:
        extent = self.extent(node)
        extents = self.extents_of(node.value) if node.attr == "ndim" else None
        if extents is not None:
            return constant(len(extents), loc)
        if extent is None:
            raise refused(self.module, node, f"the attribute '{node.attr}' is not supported here")
        return self.length(extent)

    def _call(self, node: ast.Call, loc: Loc) -> Typed:
        extent = self.extent(node)
        return self.length(extent) if extent is not None else self.call(node, loc)

    def length(self, extent: ast.expr) -> Typed:
        """An extent as a number."""
        return self.value(extent)

    def call(self, node: ast.Call, loc: Loc) -> Typed:
        """The value of a call."""
        raise NotImplementedError


def _article(node: ast.AST) -> str:
    name = type(node).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


_HANDLERS: dict[type, Callable[[Expressions, Any, Loc], Typed]] = {
    ast.Name: Expressions._name,
    ast.Constant: Expressions._boolean,
    ast.Subscript: Expressions._subscript,
    ast.Attribute: Expressions._attribute,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.Compare: Expressions._compare,
    ast.BoolOp: Expressions._logic,
    ast.IfExp: Expressions._choice,
    ast.Call: Expressions._call,
}
