"""Containers of the C++ library as structs: where their elements are, and how many.

The layouts are those of the two usual libraries (libstdc++ and libc++): a vector is three pointers, to the first
element, behind the last one, and behind the memory; a span is a pointer and a number; an array is its elements.
"""

from __future__ import annotations

import re

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.libclang import Library, RawCursor, RawType
from raising.frontend.c.read.clang_types import CONTAINERS, Types
from raising.frontend.c.read.reader_state import Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import U64, Array, Bool, Pointer, Record
from raising.support.record import dataclass
from raising.support.source import Loc

DATA, SIZE, ELEMENTS = "data", "size", "elements"
_NAMES = ("vector", "array", "span")
_COUNT = re.compile(r", (\d+)>$")
_DYNAMIC = 2**64 - 1  # `std::dynamic_extent`


@dataclass(frozen=True)
class Elements:
    """The elements of an object: a pointer to the first one, and how many there are."""

    start: ex.Expr
    count: ex.Expr


def _fields(types: Types, raw: RawType, declaration: RawCursor) -> tuple[st.Field, ...] | None:
    """The fields of a container; None for any other class."""
    lib = types.lib
    name = lib.text(lib.getCursorSpelling(declaration))
    if name not in _NAMES or not _in_library(lib, declaration):
        return None
    canonical = lib.getCanonicalType(raw)
    argument = lib.Type_getTemplateArgumentAsType(canonical, 0)
    element, size = types.of(argument), int(lib.Type_getSizeOf(argument))
    found = _COUNT.search(types.spelling(canonical))
    count = int(found[1]) if found else None
    data = st.Field(DATA, Pointer(element.type, element.constant), 0)
    if name == "vector":
        whole = int(lib.Type_getSizeOf(canonical)) == 24 and size > 0 and not isinstance(element.type, Bool)
        return (data, st.Field(SIZE, U64, 64, None, size)) if whole else ()
    if name == "array":
        return (st.Field(ELEMENTS, Array(element.type, count), 0),) if count else ()
    return (data, st.Field(SIZE, U64, 64)) if count in (None, _DYNAMIC) else (data,)


CONTAINERS.append(_fields)


def _in_library(lib: Library, declaration: RawCursor) -> bool:
    """True for what is declared in `std`, or in a namespace of it without a name of its own (`std::__1`)."""
    parent = lib.getCursorSemanticParent(declaration)
    while parent.kind == kinds.NAMESPACE:
        name = lib.text(lib.getCursorSpelling(parent))
        if name == "std":
            return bool(lib.getCursorSemanticParent(parent).kind != kinds.NAMESPACE)
        if not name.startswith("__"):
            return False
        parent = lib.getCursorSemanticParent(parent)
    return False


def in_library(lib: Library, declaration: RawCursor) -> bool:
    """True for a function or class of the C++ library."""
    return bool(lib.Location_isInSystemHeader(lib.getCursorLocation(declaration))) and _in_library(lib, declaration)


def elements(ctx: Context, place: ex.Lvalue, raw: RawType, loc: Loc) -> Elements | None:
    """The elements of a container, or of an array of C; None for any other object."""
    if isinstance(place.type, Array):
        if not isinstance(place.type.extent, int):
            return None
        constant = ctx.types.of(raw).constant
        return Elements(
            ex.Decay(place, Pointer(place.type.element, constant), loc), ex.Literal(place.type.extent, U64, loc)
        )
    if not isinstance(place.type, Record) or place.type.name not in ctx.types.foreign:
        return None
    fields = {f.name: f for f in ctx.types.layout(place.type.name).fields or ()}
    whole = fields.get(ELEMENTS)
    if whole is not None:
        array = ex.Member(place, ELEMENTS, whole.type, loc)
        return elements(ctx, array, raw, loc)
    if DATA not in fields:
        return None
    start = build.load(ex.Member(place, DATA, fields[DATA].type, loc), loc)
    if SIZE in fields:
        return Elements(start, build.load(ex.Member(place, SIZE, U64, loc), loc))
    found = _COUNT.search(ctx.types.spelling(ctx.types.lib.getCanonicalType(raw)))
    return Elements(start, ex.Literal(int(found[1]), U64, loc)) if found else None
