"""Expressions of C: the value of each, and its side effects in C's order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.polynomial import const
from raising.frontend.c.ir.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SIZE,
    ArrayOf,
    CType,
    Number,
    Pointer,
    common,
    promoted,
    rounded,
    scalar_of,
)
from raising.frontend.c.known.typed_values import Cases, Data, Extremum, Places, Ptr, Sym, Truth, Value, Variable
from raising.frontend.c.lower.context import MAX_ALL_STEPS, MAX_STEPS
from raising.frontend.c.lower.declarations import Declarations
from raising.frontend.c.lower.lvalues import size_of
from raising.frontend.c.lower.syntax_unit import Unit

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
MAX_DIGITS = 80  # of an integer; 64 bits and a prefix are less
TRUTH = Number("truth", 1, signed=False)
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34, "a": 7, "b": 8, "f": 12, "v": 11}


class Expressions(Declarations):
    """The value of an expression, and its side effects in order."""

    def __init__(self, unit: Unit, demoted: frozenset[str]) -> None:
        super().__init__(unit, demoted)
        self._arms: dict[int, tuple[Number, bool]] = {}  # by the node, so that nested choices stay linear

    def value(self, node: Any) -> Value:
        """The value of an expression."""
        self.unit.steps += 1
        if self.unit.steps > self.last_step:
            raise Refused(place(node), f"it takes too long to read, {MAX_STEPS} steps or {MAX_ALL_STEPS} for a file")
        handler = _HANDLERS.get(type(node).__name__)
        if handler is None:
            raise Refused(place(node), f"a {type(node).__name__} expression is not supported")
        return handler(self, node)

    def _constant(self, node: Any) -> Value:
        loc, text = place(node), node.value
        if node.type == "char":
            return Sym(const(_character(text, node)), INT)
        if "'" in text:
            raise Refused(loc, "a number with digit separators is not supported")
        if node.type in ("float", "double", "long double"):
            if text[-1] in "lL":
                raise Refused(loc, "long double is not supported")
            single = text[-1] in "fF" and not (text.lower().startswith("0x") and "p" not in text.lower())
            t = FLOAT if single else DOUBLE
            return self.real(rounded(text[:-1] if single else text, t), t, loc)
        if "int" not in node.type:
            raise Refused(loc, f"a {node.type} constant is not supported")
        return _integer(text, node)

    def _place(self, node: Any) -> Value:
        return self.load(self.target(node), place(node))

    def _unary(self, node: Any) -> Value:
        loc, op = place(node), node.op
        if op == "*":
            return self._place(node)
        if op == "&":
            return self.address(node.expr, loc)
        if op in ("++", "--", "p++", "p--"):
            return self._step(node)
        if op == "sizeof":
            return self._sizeof(node.expr)
        if op == "!":
            return self.truth(node)
        a = self.numeric(self.value(node.expr), loc)
        if op == "-":
            return self.negative(a, loc)
        if op == "+":
            return self.converted(a, promoted(self.type_in(a)), loc)
        if op == "~":
            return self.binary("-", self.negative(a, loc), Sym(const(1), INT), loc)
        raise Refused(loc, f"operator '{op}' is not supported")

    def _step(self, node: Any) -> Value:
        loc, target = place(node), self.target(node.expr)
        before, trial = self.load(target, loc), self.trial
        self.trial = trial or self.asking  # a counter that wraps around when its loop ends is not read again
        after = self.added("+" if "+" in node.op else "-", before, Sym(const(1), INT), node)
        self.trial = trial
        stored = self.store(target, after, loc)
        return before if node.op.startswith("p") else stored

    def _sizeof(self, node: Any) -> Value:
        t = self.type_of(node) if isinstance(node, c_ast.Typename) else self._type_of_expression(node)
        number = scalar_of(t)
        if number is None:
            return Sym(const(8), SIZE)
        return self.integer(size_of(t, place(node)) * (number.width // 8), SIZE, place(node))

    def _type_of_expression(self, node: Any) -> CType:
        """The type of the operand of `sizeof`, which is not evaluated."""
        mark = self.mark()
        entity = self.find(node.name) if isinstance(node, c_ast.ID) else None
        target = self.target(node)
        self.restore(mark)
        if entity is not None and isinstance(t := getattr(entity, "type", None), Number | Pointer | ArrayOf):
            return t
        if isinstance(target, Ptr) and isinstance(node, c_ast.ArrayRef):
            return self._pointed_type(node.name)
        if isinstance(target, Ptr):
            return Pointer(target.to)
        t = getattr(target, "type", INT)
        assert isinstance(t, Number | Pointer)
        return t

    def _pointed_type(self, node: Any) -> CType:
        mark = self.mark()
        found = self.pointer(self.value(node), place(node)).to
        self.restore(mark)
        return found

    def _binary(self, node: Any) -> Value:
        if node.op in COMPARISONS or node.op in ("&&", "||"):
            return self.truth(node)
        left = self.value(node.left)
        return self.added(node.op, left, self.value(node.right), node)

    def added(self, op: str, a: Value, b: Value, node: Any) -> Value:
        """An arithmetic operator on numbers or pointers."""
        loc = place(node)
        if isinstance(a, Ptr) and isinstance(b, Ptr) and op == "-":
            return self.integer(self.difference(a, b, loc), LONG, loc)
        if isinstance(b, Ptr | Places) and op == "+":
            a, b = b, a
        if isinstance(a, Ptr | Places) and op in "+-":
            return self.moved(a, b, 1 if op == "+" else -1, loc)
        return self.binary(op, self.numeric(a, loc), self.numeric(b, loc), loc)

    def _assignment(self, node: Any) -> Value:
        loc = place(node)
        if node.op == "=":
            right = self.value(node.rvalue)
            return self.store(self.target(node.lvalue), right, loc)
        target = self.target(node.lvalue)
        right = self.value(node.rvalue)
        return self.store(target, self.added(node.op[:-1], self.load(target, loc), right, node), loc)

    def _cast_expression(self, node: Any) -> Value:
        loc, value = place(node), self.value(node.expr)
        t = self.type_of(node.to_type)
        if isinstance(t, Pointer):
            return self.cast_pointer(self.pointer(value, loc), t.to, loc)
        if isinstance(t, Number):
            return self.converted(value, t, loc)
        return value

    def _comma(self, node: Any) -> Value:
        for part in node.exprs[:-1]:
            self.value(part)
        return self.value(node.exprs[-1])

    def _call(self, node: Any) -> Value:
        return self.called(node)

    # ---- conditions as values ----------------------------------------------------------------------

    def truth(self, node: Any) -> Truth | Sym:
        """The value of a condition: of comparisons on data directly, else through a branch."""
        loc = place(node)
        data = self.data_comparison(node)
        if data is not None:
            return data
        cell = self.cell("t", TRUTH, loc)
        yes, no = (lambda value=value: self._write_truth(cell, value, node) for value in (1, 0))
        self.branch(node, yes, no)
        return Truth(self.read(cell, (), loc))

    def _write_truth(self, cell: str, value: int, node: Any) -> None:
        loc = place(node)
        self.write(cell, (), self.constant(value, TRUTH, loc), loc)

    def data_comparison(self, node: Any) -> Truth | None:
        """A comparison of which at least one side is data; None (and no effect) for anything else."""
        if not isinstance(node, c_ast.BinaryOp) or node.op not in COMPARISONS:
            return None
        mark, loc = self.mark(), place(node)
        a, b = self.value(node.left), self.value(node.right)
        if isinstance(a, Data | Truth) or isinstance(b, Data | Truth):
            return self.compared(node.op, self.numeric(a, loc), self.numeric(b, loc), loc)
        self.restore(mark)
        return None

    def _ternary(self, node: Any) -> Value:
        """`c ? a : b`: symbolic where both arms are and the choice is an extremum, else through a variable."""
        loc = place(node)
        (a, known_a), (b, known_b) = (self._arm(arm) for arm in (node.iftrue, node.iffalse))
        t = common(a, b)
        variable = self.variable("choice", t, loc)
        if variable.cell is None and not (known_a and known_b):
            variable = replace(variable, cell=self.cell("choice", t, loc))

        def arm(part: Any) -> Callable[[], None]:
            return lambda: self._assign_arm(variable, part)

        self.branch(node.cond, arm(node.iftrue), arm(node.iffalse))
        return self.load(variable, loc)

    def _assign_arm(self, variable: Variable, node: Any) -> None:
        self.store(variable, self.value(node), place(node))

    def _arm(self, node: Any) -> tuple[Number, bool]:
        """The type of an expression and whether it is symbolic, without its effects."""
        if id(node) not in self._arms:
            mark = self.mark()
            with self.block():
                value = self.value(node)
            self.restore(mark)
            if isinstance(value, Ptr | Places):
                raise Refused(place(node), "a choice between pointers")
            number = self.numeric(value, place(node))
            self._arms[id(node)] = self.type_in(number), isinstance(number, Sym | Extremum | Cases)
        return self._arms[id(node)]


def _integer(text: str, node: Any) -> Sym:
    """An integer literal, of the first type of C's list that holds it."""
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    octal = len(digits) > 1 and digits[0] == "0" and digits[1] not in "xXbB"
    value = int(digits, 8 if octal else 0) if len(digits) <= MAX_DIGITS else 1 << 64
    if value >= 1 << 64:
        shown = text if len(text) <= MAX_DIGITS else f"{text[:20]}... of {len(text)} characters"
        raise Refused(place(node), f"the number {shown} is too large")
    decimal = digits[0] != "0"
    width = 64 if "l" in suffix or value >= 1 << (31 if decimal and "u" not in suffix else 32) else 32
    signed = "u" not in suffix and (decimal or value < 1 << (width - 1))
    return Sym(const(value), Number("int", width, signed))


def _character(text: str, node: Any) -> int:
    body = text[1:-1]
    if len(body) == 1:
        return ord(body) if ord(body) < 128 else ord(body) - 256
    if len(body) == 2 and body[0] == "\\" and body[1] in _ESCAPES:
        return _ESCAPES[body[1]]
    raise Refused(place(node), f"character {text} is not supported")


_HANDLERS: dict[str, Callable[[Expressions, Any], Value]] = {
    "Constant": Expressions._constant,
    "ID": Expressions._place,
    "ArrayRef": Expressions._place,
    "StructRef": Expressions._place,
    "UnaryOp": Expressions._unary,
    "BinaryOp": Expressions._binary,
    "Assignment": Expressions._assignment,
    "Cast": Expressions._cast_expression,
    "TernaryOp": Expressions._ternary,
    "ExprList": Expressions._comma,
    "FuncCall": Expressions._call,
}
