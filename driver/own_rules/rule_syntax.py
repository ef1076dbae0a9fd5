"""A function that returns the two sides of a rule, as expressions of the rule tables. It is read and never run."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from raising.affine.ir.real_functions import BY_NUMPY, BY_PYTHON
from raising.decorator.sources import Sources
from raising.eqsat.ruleset.expression import MOST, BadExpression, Expr, Node, Number, Var, walk
from raising.eqsat.ruleset.table import Condition
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.MatMult: "matmul",
    ast.BitAnd: "andi", ast.BitOr: "ori", ast.BitXor: "xori", ast.LShift: "shli", ast.RShift: "shrsi",
}  # fmt: skip
_FOLDED: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_CALLS = {
    "maximum": "max", "minimum": "min", "max": "max", "min": "min", "matmul": "matmul", "dot": "matmul",
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "negative": "neg", "transpose": "transpose",
}  # fmt: skip
_ARITY = {"max": 2, "min": 2, "matmul": 2, "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "transpose": 1}
_MOST_POWER = 8
_PARTS = ("rows", "cols")


@dataclass(frozen=True)
class Read:
    """Both sides of a rule and its conditions."""

    left: Expr
    right: Expr
    when: tuple[Condition, ...]


def read_rule(sources: Sources) -> Read:
    """The sides and conditions of a function; `InputError` at what no rule can say."""
    return _Reader(sources).read()


class _Reader:
    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.known: dict[str, Expr] = {}
        self.when: list[Condition] = []

    def read(self) -> Read:
        node = self.sources.functions[self.sources.name]
        given = [*node.args.posonlyargs, *node.args.args]
        if node.args.vararg or node.args.kwarg or node.args.kwonlyargs or not given:
            raise self.wrong(node, "the parameters of a rule are its variables, given by position")
        for argument in given:
            self.known[argument.arg] = self._variable(argument)
        body = list(node.body)
        for k, statement in enumerate(body):
            sides = self._statement(statement, last=k == len(body) - 1)
            if sides is not None:
                return Read(*sides, tuple(self.when))
        raise self.wrong(node, "a rule returns its two sides: return left, right")

    def wrong(self, node: ast.AST, why: str) -> InputError:
        number, line = divmod(getattr(node, "lineno", 0), 10_000_000)
        return InputError(Loc(self.sources.files[number], line, getattr(node, "col_offset", -1) + 1), why)

    def _variable(self, argument: ast.arg) -> Expr:
        """A parameter: any array, or a constant number where it is annotated as `float` or `int`."""
        annotation = argument.annotation
        if isinstance(annotation, ast.Name) and annotation.id in ("float", "int"):
            return Number(name=argument.arg)
        return Var(argument.arg)

    def _statement(self, node: ast.stmt, last: bool) -> tuple[Expr, Expr] | None:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                return None
            case ast.Assert(test=test):
                self._conditions(test)
                return None
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.known[name] = self.expression(value)
                return None
            case ast.If(test=test, body=[ast.Return() as inner], orelse=[]) if last:
                self._conditions(test)
                return self._statement(inner, last)
            case ast.Return(value=ast.Tuple(elts=[left, right])) if last:
                return self._small(left), self._small(right)
        raise self.wrong(node, "a rule has names, conditions (if or assert), and as its end: return left, right")

    def _small(self, node: ast.expr) -> Expr:
        found = self.expression(node)
        if any(count >= MOST for count, _ in enumerate(walk(found))):
            raise self.wrong(node, f"a side of more than {MOST} operations")
        return found

    # ---- conditions --------------------------------------------------------------------------------

    def _conditions(self, test: ast.expr) -> None:
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                for value in values:
                    self._conditions(value)
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                self.when += self._equal(test, left, right)
            case _:
                raise self.wrong(test, "conditions are equations of extents, joined by 'and': A.shape[0] == 1")

    def _equal(self, test: ast.expr, left: ast.expr, right: ast.expr) -> list[Condition]:
        one, other = self._extent(left), self._extent(right)
        if one is None and other is not None:
            one, other, left, right = other, one, right, left
        if one is None:
            raise self.wrong(test, "one side of a condition is an extent: A.shape[0], A.shape[-1], or A.shape")
        if other is None and one[0] and isinstance(right, ast.Constant) and type(right.value) is int:
            return [Condition(one[0], one[1], right.value)]
        if other is None or bool(one[0]) != bool(other[0]):
            raise self.wrong(test, "an extent is compared with a number, or with another extent; a shape with a shape")
        if one[0]:
            return [Condition(one[0], one[1], 0, other[0], other[1])]
        return [Condition(part, one[1], 0, part, other[1]) for part in (*_PARTS, "batch")]

    def _extent(self, node: ast.expr) -> tuple[str, str] | None:
        """`rows` or `cols` (nothing: all of the shape) and the variable of `A.shape[k]`."""
        match node:
            case ast.Subscript(value=inner, slice=at):
                whole, number = self._extent(inner), self._whole_number(at)
                if whole is None or whole[0] or number not in (0, 1, -1, -2):
                    return None
                return _PARTS[number % 2], whole[1]
            case ast.Attribute(value=ast.Name(id=name), attr="shape"):
                found = self.known.get(name)
                return ("", found.name) if isinstance(found, Var) else None
        return None

    def _whole_number(self, node: ast.expr) -> int | None:
        match node:
            case ast.Constant(value=int(value)) if type(value) is int:
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
                return -value
        return None

    # ---- expressions -------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Expr:
        """An expression of one side."""
        match node:
            case ast.Constant(value=int() | float() as value) if type(value) is not bool:
                return self._constant(node, float(value))
            case ast.Name(id=name) if name in self.known:
                return self.known[name]
            case ast.Attribute(value=ast.Name(id="numpy" | "math"), attr="pi" | "e" as name):
                return Number(3.141592653589793 if name == "pi" else 2.718281828459045)
            case ast.Attribute(value=inner, attr="T"):
                return Node("transpose", (self.expression(inner),))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._negative(self.expression(operand))
            case ast.BinOp(op=ast.Pow(), left=base, right=power):
                return self._power(node, self.expression(base), self.expression(power))
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _BINARY:
                return self._operation(node, _BINARY[type(op)], self.expression(left), self.expression(right))
            case ast.Call():
                return self._call(node)
        raise self.wrong(node, f"'{ast.unparse(node)}' is nothing that a rule can say")

    def _constant(self, node: ast.expr, value: float) -> Number:
        if not abs(value) < 2**53:
            raise self.wrong(node, "a constant of a rule is finite, and less than 2 to the 53")
        return Number(value)

    def _negative(self, operand: Expr) -> Expr:
        if isinstance(operand, Number):
            plain = not (operand.name or operand.op)
            return Number(-operand.value) if plain else Number(op="-", args=(Number(0.0), operand))
        return Node("neg", (operand,))

    def _operation(self, node: ast.expr, op: str, left: Expr, right: Expr) -> Expr:
        if not (isinstance(left, Number) and isinstance(right, Number)):
            return Node(op, (left, right))
        if op not in _SIGNS:
            raise self.wrong(node, "an operation on two constants is one of + - * /")
        if left.name or left.op or right.name or right.op:
            return Number(op=_SIGNS[op], args=(left, right))
        try:
            return self._constant(node, _FOLDED[op](left.value, right.value))
        except ArithmeticError as error:
            raise self.wrong(node, f"a constant that has no value: {error}") from None

    def _power(self, node: ast.expr, base: Expr, power: Expr) -> Expr:
        """A power as the reader of functions has it: products for small whole ones."""
        if isinstance(base, Number):
            raise self.wrong(node, "the power of a constant")
        plain = isinstance(power, Number) and not (power.name or power.op)
        if plain and isinstance(power, Number) and power.value == 0.5:
            return Node("sqrt", (base,))
        if plain and isinstance(power, Number) and power.value in range(2, _MOST_POWER + 1):
            found = base
            for _ in range(int(power.value) - 1):
                found = Node("mul", (found, base))
            return found
        return Node("powf", (base, power))

    def _call(self, node: ast.Call) -> Expr:
        name = self._called(node)
        if name in ("sum", "full_like", "zeros_like", "ones_like"):
            return self._sum(node) if name == "sum" else self._repeated(node, name)
        if node.keywords:
            raise self.wrong(node, "a call with names of parameters")
        args = [self.expression(a) for a in node.args]
        if name == "square" and len(args) == 1:
            return Node("mul", (args[0], args[0]))
        row = BY_NUMPY.get(name) or BY_PYTHON.get(name)
        op = _CALLS.get(name, row.short if row else "")
        if not op:
            raise self.wrong(node, f"calls '{name}', which no rule knows")
        wanted = _ARITY.get(op, row.arity if row else 1)
        if len(args) != wanted:
            raise self.wrong(node, f"'{name}' takes {wanted} operands here")
        if all(isinstance(a, Number) for a in args):
            raise self.wrong(node, f"'{name}' of constants alone")
        return Node(op, tuple(args))

    def _called(self, node: ast.Call) -> str:
        match node.func:
            case ast.Attribute(value=ast.Name(id="numpy" | "math"), attr=name):
                return name
            case ast.Attribute(attr="sum"):
                return "sum"
            case ast.Name(id="abs" | "max" | "min" | "pow" as name):
                return name
        raise self.wrong(node, f"calls '{ast.unparse(node.func)}', which no rule knows")

    def _sum(self, node: ast.Call) -> Expr:
        """A sum along rows or columns that keeps its dimension."""
        assert isinstance(node.func, ast.Attribute)
        method = not (isinstance(node.func.value, ast.Name) and node.func.value.id == "numpy")
        operand = node.func.value if method else node.args[0] if len(node.args) == 1 else None
        named = {k.arg: k.value for k in node.keywords}
        axis = self._whole_number(named["axis"]) if "axis" in named else None
        kept = isinstance(named.get("keepdims"), ast.Constant) and named["keepdims"].value is True  # type: ignore[attr-defined]
        if operand is None or (method and node.args) or axis not in (0, 1, -1, -2) or not kept or len(named) != 2:
            raise self.wrong(node, "a sum in a rule has axis= (0, 1, -1 or -2) and keepdims=True")
        return Node("rowsum" if axis % 2 else "colsum", (self.expression(operand),))

    def _repeated(self, node: ast.Call, name: str) -> Expr:
        args: list[Any] = [self.expression(a) for a in node.args]
        if node.keywords or len(args) != (2 if name == "full_like" else 1):
            raise self.wrong(node, f"'{name}' takes {2 if name == 'full_like' else 1} operands here")
        value = args[1] if name == "full_like" else Number(float(name == "ones_like"))
        return Node("like", (value, args[0]))


__all__ = ["BadExpression", "Read", "read_rule"]
