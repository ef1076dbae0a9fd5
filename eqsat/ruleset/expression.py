"""Expressions of the rule tables: `(A @ B) @ C`, `x * (y + z)`, `like(0, x)`, `rowsum(A.T)`.

The syntax is that of Python's expressions; nothing is ever evaluated by Python.
A value is an array of at least two dimensions; operators broadcast, and `@`,
`.T` work on the last two dimensions, as they do in NumPy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from raising.support.record import dataclass

MOST = 60  # nodes of one expression


class BadExpression(ValueError):
    """A text is no expression of the rule tables; the message says why."""


@dataclass(frozen=True)
class Var:
    """A variable of a rule, which stands for any array."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Number:
    """A scalar constant: a number, or a computation on number variables (`op` with `args`)."""

    value: float = 0.0
    name: str = ""
    op: str = ""
    args: tuple[Number, ...] = ()

    def __str__(self) -> str:
        if self.op:
            return f"({self.args[0]} {self.op} {self.args[1]})"
        return self.name or (str(int(self.value)) if self.value == int(self.value) else repr(self.value))

    @property
    def names(self) -> tuple[str, ...]:
        """The number variables in it."""
        return (self.name,) if self.name else tuple(n for a in self.args for n in a.names)


@dataclass(frozen=True)
class Node:
    """An operation of the algebra on arrays."""

    op: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        if self.op in INFIX:
            return f"({self.args[0]} {INFIX[self.op]} {self.args[1]})"
        if self.op == "transpose":
            return f"{self.args[0]}.T"
        return f"{self.op}({', '.join(map(str, self.args))})"


Expr = Var | Number | Node

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "matmul": "@"}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.MatMult: "matmul",
}


def parse(text: str) -> Expr:
    """The expression of a text."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadExpression(f"'{text}' is no expression") from error
    if sum(1 for _ in ast.walk(tree)) > 4 * MOST:
        raise BadExpression(f"an expression of more than {MOST} operations")
    return _parsed(tree)


def _parsed(tree: ast.expr) -> Expr:
    match tree:
        case ast.Name():
            return Var(tree.id)
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return _number(tree)
        case ast.UnaryOp(op=ast.USub()):
            return Node("neg", (_parsed(tree.operand),))
        case ast.BinOp() if type(tree.op) in _OPERATORS:
            return Node(_OPERATORS[type(tree.op)], (_parsed(tree.left), _parsed(tree.right)))
        case ast.Attribute(attr="T"):
            return Node("transpose", (_parsed(tree.value),))
        case ast.Call(func=ast.Name(id="num"), args=[inner], keywords=[]):
            return _number(inner)
        case ast.Call(func=ast.Name(), keywords=[]) if tree.args:
            assert isinstance(tree.func, ast.Name)
            return Node(tree.func.id, tuple(_parsed(a) for a in tree.args))
    raise BadExpression(f"'{ast.unparse(tree)}' is nothing that a rule can say")


def _number(tree: ast.expr) -> Number:
    match tree:
        case ast.Constant(value=int() | float()) if not isinstance(tree.value, bool):
            return Number(float(tree.value))  # type: ignore[arg-type]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            assert isinstance(tree.operand, ast.Constant)
            return Number(-float(tree.operand.value))  # type: ignore[arg-type]
        case ast.Name():
            return Number(name=tree.id)
        case ast.BinOp() if type(tree.op) in _OPERATORS and not isinstance(tree.op, ast.MatMult):
            return Number(op=INFIX[_OPERATORS[type(tree.op)]], args=(_number(tree.left), _number(tree.right)))
    raise BadExpression(f"'{ast.unparse(tree)}' is no number")


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all below it."""
    yield expr
    if isinstance(expr, Node):
        for arg in expr.args:
            yield from walk(arg)


def operations_in(*sides: Expr) -> list[Node]:
    """The operations of some expressions, those above before those below."""
    return [e for side in sides for e in walk(side) if isinstance(e, Node)]


def variables(expr: Expr) -> tuple[str, ...]:
    """The names of arrays in an expression, in order."""
    return tuple(dict.fromkeys(e.name for e in walk(expr) if isinstance(e, Var)))


def number_names(expr: Expr) -> tuple[str, ...]:
    """The names of numbers in an expression, in order."""
    return tuple(dict.fromkeys(n for e in walk(expr) if isinstance(e, Number) for n in e.names))
