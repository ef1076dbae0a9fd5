"""Expressions of Python as expressions of C, with every conversion written out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from raising.frontend.c.lower.arithmetic import FLOOR, MODULO
from raising.frontend.python import c_syntax as build
from raising.frontend.python.annotations import Shaped
from raising.frontend.python.module import Module, Number, refused
from raising.frontend.python.typed_nodes import Typed, called, compared, fits, literal
from raising.frontend.python.types import BOOL, FLOAT, INT, Kind, joined, of_both, of_quotient
from raising.support.source import Loc

MAX_POWER = 4  # a larger one is a call of pow
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: FLOOR, ast.Mod: MODULO}
_BITS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}


class Expressions:
    """Translates the expressions of one function."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.kinds: dict[str, Kind] = {}
        self.arrays: dict[str, Shaped] = {}

    def place(self, node: ast.AST) -> Loc:
        """Where a node starts."""
        return self.module.place(node)

    def value(self, node: ast.expr) -> Typed:
        """An expression."""
        loc = self.place(node)
        number = self._constant(node)
        if number is not None:
            kind = INT if isinstance(number, int) else FLOAT
            return Typed(literal(number, kind, loc), kind, number)
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise refused(self.module, node, f"{_article(node)} expression is not supported")
        return handler(self, node, loc)

    def _constant(self, node: ast.expr) -> Number | None:
        local = any(isinstance(n, ast.Name) and (n.id in self.kinds or n.id in self.arrays) for n in ast.walk(node))
        return (
            None if local or isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else self.module.number(node)
        )

    def condition(self, node: ast.expr) -> Any:
        """An expression that is asked whether it is true."""
        return self.value(node).node

    def integer(self, node: ast.expr) -> Any:
        """An expression that has to be an integer."""
        found = self.value(node)
        if found.kind.is_float or found.kind.is_bool:
            raise refused(self.module, node, "this has to be an integer")
        return found.node

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
        if not value.kind.weak or value.kind.dtype == kind.dtype or kind.weak or kind.dtype == "float64":
            return
        if value.number is None or not fits(value.number, kind):
            what = f"is computed as {value.kind.dtype} and then meets {kind.dtype}"
            raise refused(self.module, node, f"this number {what}; write which is meant, as in np.{kind.dtype}(...)")

    # ---- names and elements ------------------------------------------------------------------------

    def _name(self, node: ast.Name, loc: Loc) -> Typed:
        if node.id in self.kinds:
            return Typed(build.name(node.id, loc), self.kinds[node.id])
        if node.id in self.arrays:
            raise refused(self.module, node, f"array '{node.id}' is used whole; write the loops over its elements")
        raise refused(self.module, node, f"'{node.id}' is not known here, or its type is not")

    def _boolean(self, node: ast.Constant, loc: Loc) -> Typed:
        if isinstance(node.value, bool):
            return Typed(build.integer(int(node.value), "int64", loc), BOOL)
        raise refused(self.module, node, f"the constant {str(node.value)[:40]} is not supported")

    def element(self, node: ast.expr) -> tuple[Any, Shaped]:
        """An element or row of an array, and its shape: no extents for an element."""
        loc = self.place(node)
        subscripts: list[ast.expr] = []
        while isinstance(node, ast.Subscript):
            parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            subscripts[:0] = parts
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.arrays:
            raise refused(self.module, node, "this is not an array whose shape is known")
        array = self.arrays[node.id]
        if len(subscripts) > len(array.extents):
            raise refused(self.module, node, f"more subscripts than dimensions of array '{node.id}'")
        pairs = zip(subscripts, array.extents, strict=False)
        indices = [self._index(subscript, extent) for subscript, extent in pairs]
        rest = Shaped(array.kind, array.extents[len(indices) :])
        return build.element(build.name(node.id, loc), indices, loc), rest

    def _index(self, node: ast.expr, extent: ast.expr) -> Any:
        if isinstance(node, ast.Slice) or (isinstance(node, ast.Constant) and node.value in (None, ...)):
            raise refused(self.module, node, "a slice; write the loop over its elements")
        number = self._constant(node)
        if isinstance(number, int) and number < 0:
            end = ast.copy_location(ast.BinOp(extent, ast.Add(), ast.Constant(number)), node)
            return self.integer(ast.fix_missing_locations(end))
        return self.integer(node)

    def _subscript(self, node: ast.Subscript, loc: Loc) -> Typed:
        extent = self.extent(node)
        if extent is not None:
            return self.value(extent)
        found, rest = self.element(node)
        if rest.extents:
            raise refused(self.module, node, "a row of an array is used whole; write the loop over its elements")
        return Typed(found, rest.kind)

    def extent(self, node: ast.expr) -> ast.expr | None:
        """The extent that `A.shape[k]`, `len(A)` or `A.size` stands for; None for other expressions."""
        if isinstance(node, ast.Attribute) and node.attr == "size" and isinstance(node.value, ast.Name):
            return _product(self.shape(node.value), node)
        position: Number | None = None
        if isinstance(node, ast.Call) and self.module.dotted(node.func) == "len" and len(node.args) == 1:
            array, position = node.args[0], 0
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            array, position = node.value.value, self.module.number(node.slice)
        if not isinstance(position, int) or not isinstance(array, ast.Name | ast.Subscript):
            return None
        extents = self.element(array)[1].extents if isinstance(array, ast.Subscript) else self.shape(array)
        if not -len(extents) <= position < len(extents):
            raise refused(self.module, node, "there is no such dimension")
        return extents[position]

    def shape(self, node: ast.Name) -> tuple[ast.expr, ...]:
        """The extents of an array."""
        if node.id not in self.arrays:
            raise refused(self.module, node, f"'{node.id}' is not an array whose shape is known")
        return self.arrays[node.id].extents

    # ---- operators ---------------------------------------------------------------------------------

    def _binary(self, node: ast.BinOp, loc: Loc) -> Typed:
        if isinstance(node.op, ast.Pow):
            return self._power(node, loc)
        return self.combined(node, self.value(node.left), self.value(node.right), loc)

    def combined(self, node: ast.BinOp | ast.AugAssign, left: Typed, right: Typed, loc: Loc) -> Typed:
        """An operator on two values."""
        kind = of_quotient(left.kind, right.kind) if isinstance(node.op, ast.Div) else of_both(left.kind, right.kind)
        op = _ARITHMETIC.get(type(node.op)) or _BITS.get(type(node.op))
        if op is None or kind.dtype == "float16":
            raise refused(self.module, node, f"operator {type(node.op).__name__} on these types is not supported")
        if kind.is_float and op in (FLOOR, MODULO, *_BITS.values()):
            raise refused(self.module, node, f"operator {type(node.op).__name__} on floating numbers")
        if kind.is_bool and op not in ("&", "|", "^"):
            if not kind.weak:
                raise refused(self.module, node, f"operator {type(node.op).__name__} on truth values")
            kind = INT
        found = build.binary(op, left.converted(kind, loc), right.converted(kind, loc), loc)
        narrow = kind.dtype in ("int8", "uint8", "int16", "uint16")  # C computes these as int
        return Typed(build.cast(found, kind, loc) if narrow else found, kind)

    def _power(self, node: ast.BinOp, loc: Loc) -> Typed:
        base, exponent = self.value(node.left), self.module.number(node.right)
        if isinstance(exponent, int) and 1 <= exponent <= MAX_POWER and not base.kind.is_bool:
            found = base
            for _ in range(exponent - 1):
                times = ast.copy_location(ast.BinOp(node.left, ast.Mult(), node.left), node)
                found = self.combined(times, found, base, loc)
            return found
        kind = of_both(base.kind, self.value(node.right).kind)
        if not kind.is_float:
            raise refused(self.module, node, f"a power of integers other than 1 to {MAX_POWER}")
        if exponent == 0.5:
            return Typed(called("sqrt", [base.converted(kind, loc)], kind, loc), kind)
        both = [v.converted(kind, loc) for v in (base, self.value(node.right))]
        return Typed(called("pow", both, kind, loc), kind)

    def _unary(self, node: ast.UnaryOp, loc: Loc) -> Typed:
        if isinstance(node.op, ast.Not):
            return Typed(build.unary("!", self.condition(node.operand), loc), BOOL)
        value = self.value(node.operand)
        if value.kind.is_bool:
            raise refused(self.module, node, "an operator on a truth value")
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Invert):
            if value.kind.is_float:
                raise refused(self.module, node, "operator Invert on floating numbers")
            return Typed(build.cast(build.unary("~", value.node, loc), value.kind, loc), value.kind)
        negative = build.unary("-", value.node, loc)
        return Typed(negative if value.kind.is_float else build.cast(negative, value.kind, loc), value.kind)

    def _compare(self, node: ast.Compare, loc: Loc) -> Typed:
        operands = [self.value(n) for n in (node.left, *node.comparators)]
        found = None
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            if type(op) not in _COMPARED:
                raise refused(self.module, node, f"comparison {type(op).__name__} is not supported")
            kind = compared(left, right, loc)
            sides = [v.node if kind.is_bool else v.converted(kind, loc) for v in (left, right)]
            test = build.binary(_COMPARED[type(op)], sides[0], sides[1], loc)
            found = test if found is None else build.binary("&&", found, test, loc)
        return Typed(found, BOOL)

    def _logic(self, node: ast.BoolOp, loc: Loc) -> Typed:
        parts = [self.value(v) for v in node.values]
        if not all(p.kind.is_bool for p in parts):
            raise refused(self.module, node, "'and' and 'or' of numbers; compare them with 0")
        found = parts[0].node
        for part in parts[1:]:
            found = build.binary("&&" if isinstance(node.op, ast.And) else "||", found, part.node, loc)
        return Typed(found, BOOL)

    def _choice(self, node: ast.IfExp, loc: Loc) -> Typed:
        arms = [self.value(n) for n in (node.body, node.orelse)]
        kind = self.same(arms, (node.body, node.orelse))
        return self.chosen(self.condition(node.test), arms[0], arms[1], kind, loc)

    def chosen(self, test: Any, yes: Typed, no: Typed, kind: Kind, loc: Loc) -> Typed:
        """`test ? yes : no`."""
        return Typed(build.choice(test, yes.converted(kind, loc), no.converted(kind, loc), loc), kind)

    def _attribute(self, node: ast.Attribute, loc: Loc) -> Typed:
        extent = self.extent(node)
        if extent is None:
            raise refused(self.module, node, f"the attribute '{node.attr}' is not supported here")
        return self.value(extent)

    def _call(self, node: ast.Call, loc: Loc) -> Typed:
        extent = self.extent(node)
        return self.value(extent) if extent is not None else self.call(node, loc)

    def call(self, node: ast.Call, loc: Loc) -> Typed:
        """The value of a call."""
        raise NotImplementedError


def _product(extents: tuple[ast.expr, ...], place: ast.expr) -> ast.expr:
    """The number of elements."""
    found: ast.expr = extents[0] if extents else ast.Constant(1)
    for extent in extents[1:]:
        found = ast.BinOp(found, ast.Mult(), extent)
    return ast.fix_missing_locations(ast.copy_location(found, place)) if len(extents) != 1 else found


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
