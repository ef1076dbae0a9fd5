"""Expressions over the integer parameters of a C function, that give the extents of its arrays.

A function that was read from C has them in its attribute `c_parameters`: for each parameter the C type, the name, and
for an array the extents, `?` for a first one that the function does not know. The type is that of the elements, or of
rows if C has these in numbers (`const double[5]` of `const double x[4][5]`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from raising.affine.ir.affine_expr import Lin, const, var

C_PARAMETERS = "c_parameters"
"""Attribute of a function that was read from C: per parameter its C type, its name, and its extents."""

C_RESULT = "c_result"
"""Attribute of such a function that returns a number without a sign, a truth value, or what
has another name than numbers of this width mostly have: its C type."""

C_POSITIVE = "c_positive"
"""Attribute of such a function: the lengths of rows that are at least 1 where it is entered. C has it so of those that
are declared (`double x[n][m]`, C11 6.7.6.2p5), others are only found in subscripts, or assumed."""

C_ARGUMENTS, C_PATHS = "c_arguments", "c_paths"
"""Attributes of a function whose C arguments are structs or pointers to them: per C argument its type, its name and, of
a struct by value, its bytes and registers; and per parameter how it is found in these."""

UNBOUNDED = "?"
"""The first extent of memory whose length the C function does not know."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "sdiv",
    ast.Mod: "srem",
}

_NAME = re.compile(r"[A-Za-z_$][\w$]*")

T = TypeVar("T")

Declared = list[tuple[str, str, tuple[str, ...]]]
"""C type, name and extents of each parameter."""


class ExtentError(ValueError):
    """A text that is no extent, or one that cannot be computed; the message says why."""


def declared(function: Any, count: int) -> Declared:
    """The parameters of a function as C declares them, if the function still has those that C gave it; else nothing.

    The types are those of the elements.
    """
    return [(kind.partition("[")[0].removeprefix("const "), name, dims) for kind, name, dims in _rows(function, count)]


def declared_as_rows(function: Any, count: int) -> dict[int, str]:
    """By position, the types of the elements of what C declares as pointers to rows whose extents are numbers."""
    return {k: kind.partition("[")[0] for k, (kind, _, _) in enumerate(_rows(function, count)) if "[" in kind}


def positive(function: Any, count: int) -> tuple[str, ...]:
    """The lengths of rows that are at least 1 where a function is entered, if it still has its parameters from C."""
    if C_POSITIVE not in function.attributes or not _rows(function, count):
        return ()
    from mlir import ir  # what calls compiled code does without

    return tuple(ir.StringAttr(s).value for s in ir.ArrayAttr(function.attributes[C_POSITIVE]))


def _rows(function: Any, count: int) -> Declared:
    if C_PARAMETERS not in function.attributes:
        return []
    from mlir import ir  # what calls compiled code does without

    try:
        rows = [[ir.StringAttr(s).value for s in ir.ArrayAttr(row)] for row in function.attributes[C_PARAMETERS]]
    except ValueError:
        return []
    return [(row[0], row[1], tuple(row[2:])) for row in rows] if len(rows) == count else []


def evaluate(text: str, names: Mapping[str, T], number: Callable[[int], T], combine: Callable[[str, T, T], T]) -> T:
    """The value of an expression; `combine` is told `add`, `sub`, `mul`, or `sdiv` or `srem` of numbers from 0.

    ExtentError for what is no such expression, or has a name that is not among `names`.
    """

    def value(tree: ast.expr) -> T:
        match tree:
            case ast.Constant(int(constant)):
                return number(constant)
            case ast.Name(numbered) if given[int(numbered[1:])] in names:
                return names[given[int(numbered[1:])]]
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                return combine(_OPERATORS[type(operator)], value(left), value(right))
            case ast.UnaryOp(ast.USub(), operand):
                return combine("sub", number(0), value(operand))
        raise ExtentError(f"the extent '{text}' cannot be computed")

    given = names_in(text)  # which may be words of Python, or have a `$`
    try:
        return value(ast.parse(_NAME.sub(lambda found: f"v{given.index(found[0])}", text), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ExtentError(f"'{text}' is no extent") from None


def names_in(text: str) -> list[str]:
    """The names of an expression, each once."""
    return list(dict.fromkeys(_NAME.findall(text)))


def linear(text: str, names: Mapping[str, Lin]) -> Lin | None:
    """An extent as an affine form over sizes; None if it is none."""
    try:
        return evaluate(text, names, const, _combined)
    except ExtentError:
        return None


def _combined(operation: str, left: Lin, right: Lin) -> Lin:
    if operation in ("add", "sub"):
        return left + right if operation == "add" else left - right
    if operation == "mul" and (left.is_const or right.is_const):
        return right.scaled(left.const) if left.is_const else left.scaled(right.const)
    raise ExtentError("the extent is not affine")


def declared_rows(function: Any, count: int) -> dict[int, tuple[Hashable, ...]]:
    """The lengths of the rows of each array, by the position of its argument, in forms that name no parameter.

    Memory of unknown length may be read as rows by its subscripts (`a[i * n + j]`). Element [i][j] of two functions is
    the same one only where their rows are equally long.
    """
    parameters = declared(function, count)
    return {k: tuple(_form(text, parameters) for text in dims[1:]) for k, (_, _, dims) in enumerate(parameters) if dims}


def declared_places(function: Any, count: int) -> tuple[str, ...]:
    """Where each parameter is found in what C passes: its path, or the number of its argument; nothing if none is said.

    Fields of structs, and memory in front of where a pointer points, are other parameters where their paths differ.
    """
    if not declared(function, count):
        return ()
    if C_PATHS not in function.attributes:
        return tuple(map(str, range(count)))
    from mlir import ir  # what calls compiled code does without

    return tuple(ir.StringAttr(path).value for path in ir.ArrayAttr(function.attributes[C_PATHS]))


def declared_truths(function: Any, count: int) -> list[int]:
    """The positions of arguments that hold 0 or 1, as C's `_Bool` does."""
    return [k for k, (kind, _, _) in enumerate(declared(function, count)) if kind == "_Bool"]


def _form(text: str, parameters: Declared) -> Hashable:
    """An extent over positions of parameters: equal forms have equal values."""
    places = {name: f"n{k}" for k, (_, name, _) in enumerate(parameters)}
    form: Lin | None = linear(text, {name: var(place) for name, place in places.items()})
    if form is not None:
        return form
    try:
        return evaluate(text, places, str, _as_text)
    except ExtentError:
        return text


def _as_text(operation: str, left: str, right: str) -> str:
    one, other = sorted((left, right)) if operation in ("add", "mul") else (left, right)
    return f"({one} {operation} {other})"
