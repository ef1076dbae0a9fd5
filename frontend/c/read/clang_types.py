"""Clang's types as those of the core, and the layouts of records."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.clang.libclang import RawCursor, RawType
from raising.frontend.c.clang.translation_unit import Source
from raising.frontend.core import build
from raising.frontend.core.expression_nodes import Expr
from raising.frontend.core.printer import extent_text
from raising.frontend.core.statement_nodes import Field, RecordLayout
from raising.frontend.core.types import (
    BOOL,
    VOID,
    Array,
    Complex,
    Float,
    Int,
    Opaque,
    Pointer,
    Record,
    Routine,
    Type,
    innermost,
)
from raising.support.record import dataclass

CONTAINERS: list[Callable[[Types, RawType, RawCursor], tuple[Field, ...] | None]] = []
"""The fields of classes of the C++ library, which are not those that a file of it declares."""

_TWICE = re.compile(r"(?<!signed )\bchar\b|(?:\bunsigned )?\blong long\b")
"""Integers of C of which others have the width and the sign."""


@dataclass(frozen=True)
class Typed:
    """A type with the qualifiers of an object of it. An array is what its elements are."""

    type: Type
    constant: bool = False
    volatile: bool = False
    atomic: bool = False


class Types:
    """The types of a file; each is translated once. `records` grows with what is asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lib = source.lib
        self.records: dict[str, RecordLayout] = {}
        self.foreign: set[str] = set()  # containers of the C++ library
        self.typedefs: dict[int, Type] = {}  # those of functions whose extents are not constant
        self._known: dict[int, Typed] = {}
        self._names: dict[int, str] = {}  # of records, by their declaration
        self._records: dict[str, RawType] = {}
        self._fields: dict[int, str] = {}  # names, by their declaration

    def of(self, raw: RawType) -> Typed:
        """A type; extents that are no constants are None."""
        found = self._known.get(raw.d0)
        if found is None:
            found = self._translated(raw)
            self._known[raw.d0] = found
        return found

    def is_reference(self, declaration: Node) -> bool:
        """True for a variable, parameter or field of C++ that is a reference."""
        if not self.source.plus:
            return False
        return bool(self.lib.getCanonicalType(declaration.type).kind in kinds.T_REFERENCES)

    def node(self, node: Node) -> Type:
        """The type of an expression or declaration."""
        return self.of(node.type).type

    def _translated(self, raw: RawType) -> Typed:
        lib = self.lib
        constant, volatile = bool(lib.isConstQualifiedType(raw)), bool(lib.isVolatileQualifiedType(raw))
        kind = raw.kind
        if kind in (kinds.T_ARRAY, kinds.T_OPEN_ARRAY, kinds.T_VLA):
            element = self.of(lib.getArrayElementType(raw))
            extent = int(lib.getArraySize(raw)) if kind == kinds.T_ARRAY else None
            return replace(element, type=Array(element.type, extent))
        if kind == kinds.T_ATOMIC:
            return Typed(Opaque(self.spelling(raw)), atomic=True)
        handler = _TYPES.get(kind)
        if handler is not None:
            return Typed(handler(self, raw), constant, volatile)
        canonical = lib.getCanonicalType(raw)
        if canonical.kind == kind:
            return Typed(Opaque(self.spelling(raw)), constant, volatile)
        inner = self._typedef(raw) or self.of(canonical)
        return replace(inner, constant=constant or inner.constant, volatile=volatile or inner.volatile)

    def _typedef(self, raw: RawType) -> Typed | None:
        """A typedef of a function, if its extents are variables; also behind `typeof` and attributes."""
        if not self.typedefs:
            return None
        if raw.kind == kinds.T_ELABORATED:
            return self.of(self.lib.Type_getNamedType(raw))
        if raw.kind == kinds.T_TYPEDEF:
            declaration = self.lib.getTypeDeclaration(raw)
            if declaration.d0 in self.typedefs:
                return Typed(self.typedefs[declaration.d0])
            return self.of(self.lib.getTypedefDeclUnderlyingType(declaration))
        return None

    def spelling(self, raw: RawType) -> str:
        """A type as C spells it."""
        return self.lib.text(self.lib.getTypeSpelling(raw))

    def numbers(self, raw: RawType) -> str:
        """What C calls the numbers in a type where another type has the same bits; empty for `int` and the like."""
        found = _TWICE.search(self.spelling(self.lib.getCanonicalType(raw)))
        return found[0] if found else ""

    # ---- kinds of types ----------------------------------------------------------------------------

    def _integer(self, raw: RawType) -> Type:
        return Int(8 * int(self.lib.Type_getSizeOf(raw)), raw.kind in kinds.T_SIGNED)

    def _float(self, raw: RawType) -> Type:
        size = int(self.lib.Type_getSizeOf(raw))
        return Float(80 if raw.kind == kinds.T_LONG_DOUBLE and size in (12, 16) else 8 * size)

    def _complex(self, raw: RawType) -> Type:
        part = self.of(self.lib.getElementType(raw)).type
        return Complex(part) if isinstance(part, Float) else Opaque(self.spelling(raw))

    def _pointer(self, raw: RawType) -> Type:
        to = self.of(self.lib.getPointeeType(raw))
        return Pointer(to.type, to.constant, bool(self.lib.isRestrictQualifiedType(raw)))

    def _routine(self, raw: RawType) -> Type:
        lib = self.lib
        result = self.of(lib.getResultType(raw)).type
        if raw.kind == kinds.T_NO_PROTOTYPE:
            return Routine(result, (), variadic=True)
        parameters = tuple(passed(self.of(lib.getArgType(raw, k))) for k in range(lib.getNumArgTypes(raw)))
        return Routine(result, parameters, bool(lib.isFunctionTypeVariadic(raw)))

    def _enum(self, raw: RawType) -> Type:
        underlying = self.lib.getEnumDeclIntegerType(self.lib.getTypeDeclaration(raw))
        found = self.of(underlying).type
        return found if isinstance(found, Int) else Int(32, signed=False)

    def _record(self, raw: RawType) -> Type:
        declaration = self.lib.getTypeDeclaration(raw)
        name = self._names.get(declaration.d0)
        if name is None:
            name = self._record_name(raw, declaration)
            self._names[declaration.d0] = name
            self._records[name] = raw
            size = max(int(self.lib.Type_getSizeOf(raw)), 0)
            loc = Node(self.source, declaration).loc
            self.records[name] = RecordLayout(name, None, size, declaration.kind == kinds.UNION, loc)
            known = next((f for f in (c(self, raw, declaration) for c in CONTAINERS) if f is not None), None)
            if known is not None:
                self.foreign.add(name)
                self.records[name] = replace(self.records[name], fields=known)
        return Record(name)

    def _record_name(self, raw: RawType, declaration: RawCursor) -> str:
        if self.source.plus:
            return self._plus_name(declaration)
        text = self.spelling(self.lib.getCanonicalType(raw)).split("(")[0]
        words = [w for w in text.split() if w not in ("const", "volatile", "struct", "union")]
        name = words[-1].removesuffix("::") if words else ""
        if not name or self.lib.Cursor_isAnonymous(declaration) or "(" in self.spelling(raw):
            name = "anonymous"
        return self._free(name)

    def _plus_name(self, declaration: RawCursor) -> str:
        """The name of a class without its namespaces and what its template was given."""
        name = self.lib.text(self.lib.getCursorSpelling(declaration))
        return self._free(name if name.isidentifier() else "anonymous")

    def _free(self, name: str) -> str:
        taken, k = self.records.keys(), 1
        while name in taken:
            name, k = f"{name.split('.')[0]}.{k}", k + 1
        return name

    def is_plain(self, raw: RawType) -> bool:
        """True for an object that C++ copies as C does: all but classes with more to it than their fields."""
        t = self.of(raw).type
        if not self.source.plus or not isinstance(t, Record) or self.lib.isPODType(self.lib.getCanonicalType(raw)):
            return True
        return t.name in self.foreign and self.records[t.name].size <= 16  # a span

    # ---- records -----------------------------------------------------------------------------------

    def layout(self, name: str) -> RecordLayout:
        """A record with its fields, and the records in them; None if the file does not define it."""
        known = self.records[name]
        if known.fields is None:
            members = [Node(self.source, c) for c in self.lib.fields(self._records[name])]
            members = [m for m in members if m.spelling or self.lib.getFieldDeclBitWidth(m.raw) < 0]
            if members or known.size:
                fields = tuple(self._field(m, k) for k, m in enumerate(members))
                known = replace(known, fields=fields)
                self.records[name] = known
                for inner in (innermost(f.type) for f in fields):
                    if isinstance(inner, Record):
                        self.layout(inner.name)
        return known

    def path(self, record: str, field: str) -> list[Field]:
        """The fields that lead to one, which may be in members without names; empty if there is none."""
        for one in self.layout(record).fields or ():
            if one.name == field:
                return [one]
            if one.name.startswith("anonymous.") and isinstance(one.type, Record):
                rest = self.path(one.type.name, field)
                if rest:
                    return [one, *rest]
        return []

    def _field(self, node: Node, number: int) -> Field:
        bits = int(self.lib.getFieldDeclBitWidth(node.raw))
        offset = int(self.lib.Cursor_getOffsetOfField(node.raw))
        return Field(self.field_name(node, number), self.node(node), offset, bits if bits >= 0 else None)

    def field_name(self, node: Node, number: int = 0) -> str:
        """The name of a field, in which those without one are told apart."""
        if node.key not in self._fields:
            name = node.spelling
            self._fields[node.key] = name if name and "(" not in name else f"anonymous.{number}"
        return self._fields[node.key]

    # ---- types with extents that are expressions ---------------------------------------------------

    def written(self, raw: RawType, sizes: Iterator[Node], extent: Callable[[Node], int | Expr]) -> Type:
        """A type of which the declarator says the extents `sizes`, those of inner arrays first."""
        lib, kind = self.lib, raw.kind
        if kind in (kinds.T_ARRAY, kinds.T_OPEN_ARRAY, kinds.T_VLA):
            element = self.written(lib.getArrayElementType(raw), sizes, extent)
            size = next(sizes, None) if kind != kinds.T_OPEN_ARRAY else None
            if kind == kinds.T_ARRAY:
                return Array(element, int(lib.getArraySize(raw)))
            return Array(element, None if size is None else extent(size))
        if kind == kinds.T_POINTER:
            known = self._pointer(raw)
            assert isinstance(known, Pointer)
            return replace(known, to=self.written(lib.getPointeeType(raw), sizes, extent))
        return self.of(raw).type


def passed(typed: Typed) -> Type:
    """The type of a parameter: arrays are pointers to their elements, functions pointers to them."""
    t = typed.type
    if isinstance(t, Array):
        return Pointer(t.element, typed.constant)
    return Pointer(t) if isinstance(t, Routine) else t


def is_open(t: Type) -> bool:
    """True if a type has extents that clang's type does not tell."""
    while isinstance(t, Pointer | Array):
        if isinstance(t, Array) and t.extent is None:
            return True
        t = t.to if isinstance(t, Pointer) else t.element
    return False


def agrees(a: Type, b: Type) -> bool:
    """True for types that are the same but for qualifiers and for extents that clang's types do not tell."""
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return agrees(a.to, b.to)
    if isinstance(a, Array) and isinstance(b, Array):
        open_ = a.extent is None or b.extent is None
        return agrees(a.element, b.element) and (open_ or extent_text(a.extent) == extent_text(b.extent))
    return build.same(a, b)


_TYPES: dict[int, Callable[[Types, RawType], Type]] = {
    kinds.T_VOID: lambda types, raw: VOID,
    kinds.T_BOOL: lambda types, raw: BOOL,
    **dict.fromkeys(kinds.T_SIGNED | kinds.T_UNSIGNED, Types._integer),
    **dict.fromkeys(kinds.T_FLOAT, Types._float),
    kinds.T_COMPLEX: Types._complex,
    kinds.T_POINTER: Types._pointer,
    **dict.fromkeys(kinds.T_REFERENCES, Types._pointer),
    kinds.T_FUNCTION: Types._routine,
    kinds.T_NO_PROTOTYPE: Types._routine,
    kinds.T_RECORD: Types._record,
    kinds.T_ENUM: Types._enum,
}
