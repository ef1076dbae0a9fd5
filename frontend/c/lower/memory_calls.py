"""`memset`, `memcpy` and `memmove` as the loops over elements that they stand for."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused
from raising.frontend.c.ir.types import UNTYPED, CType, Number, extents, scalar_of
from raising.frontend.c.known.typed_values import Ptr, Sym, Value
from raising.support.source import Loc

NAMES = ("memset", "memcpy", "memmove")
TO, FROM, COUNT = "memory to", "memory from", "memory count"
"""Names that C cannot spell, of what a call says."""


def element_of(pointer: Ptr, loc: Loc) -> Number:
    """The type of the numbers that it points to."""
    element = scalar_of(pointer.to)
    if element is None or element == UNTYPED:
        raise Refused(loc, "bytes of memory whose type is not known")
    return element


def check_source(name: str, to: Ptr, source: Ptr, loc: Loc) -> None:
    """`Refused` if elements cannot be copied one by one in order."""
    if name == "memmove" and to.array == source.array:
        raise Refused(loc, "memmove within an array")
    if _shape(to.to) != _shape(source.to):
        raise Refused(loc, f"{name} between memory of different types or shapes")


def _shape(t: CType) -> tuple[object, ...]:
    number = scalar_of(t)
    return (number.mlir if number else None, *extents(t))


def fill_text(value: Value, element: Number, loc: Loc) -> str:
    """The integer that an element is when each of its bytes is the value."""
    byte = value.form.constant if isinstance(value, Sym) else None
    if byte is not None and byte % 256 == 0:
        return "0"
    if byte is None or element.is_float or element.kind == "bool":
        raise Refused(loc, "memset to other than zero bytes")
    return str(byte % 256 * sum(256**k for k in range(element.width // 8)))


def loops(to: CType, source: Any, loc: Loc) -> Any:
    """The loops that store to every element; `source` is an expression, or None for the elements of `FROM`."""
    names = ["i", *(f"i{k}" for k in range(1, len(extents(to)) + 1))]
    inner = [_number(e.constant, loc) for e in extents(to) if e is not None]
    body: Any = c_ast.Assignment("=", _element(TO, names, loc), source or _element(FROM, names, loc), loc)
    for name, end in zip(reversed(names), [*reversed(inner), c_ast.ID(COUNT, loc)], strict=True):
        declared = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["long"], loc), loc)
        start = c_ast.Decl(name, [], [], [], [], declared, _number(0, loc), None, loc)
        test = c_ast.BinaryOp("<", c_ast.ID(name, loc), end, loc)
        body = c_ast.For(c_ast.DeclList([start], loc), test, c_ast.UnaryOp("p++", c_ast.ID(name, loc), loc), body, loc)
    return body


def _element(memory: str, names: list[str], loc: Loc) -> Any:
    found: Any = c_ast.ID(memory, loc)
    for name in names:
        found = c_ast.ArrayRef(found, c_ast.ID(name, loc), loc)
    return found


def _number(value: int | None, loc: Loc) -> Any:
    return c_ast.Constant("unsigned long int", f"{value}UL", loc) if value else c_ast.Constant("int", "0", loc)
