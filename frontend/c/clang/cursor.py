"""A cursor of libclang as the reader sees it: its kind, children, place and operator, each asked for once."""

from __future__ import annotations

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.libclang import RawCursor, RawType
from raising.frontend.c.clang.translation_unit import Source
from raising.frontend.core.statement_nodes import Span
from raising.support.source import Loc

_LEAVES = {kinds.DECL_REF, kinds.INTEGER, kinds.FLOATING, kinds.STRING, kinds.CHARACTER, kinds.NULL}


class Node:
    """A cursor. What is asked for is kept, in plain attributes, since files have many of them."""

    __slots__ = ("_children", "_expressions", "_loc", "_operator", "_referenced", "kind", "raw", "source")

    def __init__(self, source: Source, raw: RawCursor) -> None:
        self.source = source
        self.raw = raw
        self.kind: int = raw.kind
        self._children: list[Node] | None = None
        self._expressions: list[Node] | None = None
        self._loc: Loc | None = None
        self._operator = -1
        self._referenced: Node | None = None

    @property
    def children(self) -> list[Node]:
        """Everything directly inside, without attributes."""
        if self._children is None:
            found = () if self.kind in _LEAVES else self.source.lib.children(self.raw)
            source = self.source
            self._children = [Node(source, c) for c in found if not _is_attribute(c)]
        return self._children

    @property
    def expressions(self) -> list[Node]:
        """The expressions directly inside."""
        if self._expressions is None:
            self._expressions = [c for c in self.children if kinds.FIRST_EXPR <= c.kind <= kinds.LAST_EXPR]
        return self._expressions

    @property
    def loc(self) -> Loc:
        """The place in the file that the user wrote."""
        if self._loc is None:
            self._loc = self.source.place(self.source.lib.getCursorLocation(self.raw))
        return self._loc

    @property
    def type(self) -> RawType:
        """The type that clang gives it."""
        found: RawType = self.source.lib.getCursorType(self.raw)
        return found

    @property
    def key(self) -> int:
        """A number that no other declaration has."""
        return self.raw.d0

    def is_at(self, other: Node | None) -> bool:
        """True for the same expression."""
        return other is not None and self.raw.d1 == other.raw.d1

    @property
    def spelling(self) -> str:
        """Its name; of a string literal its text."""
        return self.source.lib.text(self.source.lib.getCursorSpelling(self.raw))

    @property
    def operator(self) -> int:
        """The number of a unary or binary operator."""
        if self._operator < 0:
            lib = self.source.lib
            ask = lib.getCursorUnaryOperatorKind if self.kind == kinds.UNARY else lib.getCursorBinaryOperatorKind
            self._operator = ask(self.raw)
        return self._operator

    @property
    def referenced(self) -> Node:
        """The declaration that a name means."""
        if self._referenced is None:
            self._referenced = Node(self.source, self.source.lib.getCursorReferenced(self.raw))
        return self._referenced

    @property
    def span(self) -> Span:
        """Where it begins and ends in its file, macros as they are used."""
        lib, source = self.source.lib, self.source
        extent = lib.getCursorExtent(self.raw)
        return Span(source.offset(lib.getRangeStart(extent)), source.offset(lib.getRangeEnd(extent)))

    @property
    def written(self) -> tuple[bytes, Span]:
        """The text of its file and its place there: macros where they are used, their arguments where they stand."""
        lib, source = self.source.lib, self.source
        extent = lib.getCursorExtent(self.raw)
        text, start = source.written(lib.getRangeStart(extent))
        return text, Span(start, source.written(lib.getRangeEnd(extent))[1])

    def evaluated(self) -> int | float | None:
        """The value of a constant expression; None if clang does not know one."""
        lib = self.source.lib
        result = lib.Cursor_Evaluate(self.raw)
        if not result:
            return None
        try:
            kind = lib.EvalResult_getKind(result)
            if kind == 1:
                unsigned = lib.EvalResult_isUnsignedInt(result)
                return int(lib.EvalResult_getAsUnsigned(result) if unsigned else lib.EvalResult_getAsLongLong(result))
            return float(lib.EvalResult_getAsDouble(result)) if kind == 2 else None
        finally:
            lib.EvalResult_dispose(result)

    def bare(self) -> Node:
        """The node without parentheses around it."""
        node = self
        while node.kind == kinds.PAREN:
            node = node.children[0]
        return node

    def unconverted(self) -> Node:
        """The node without parentheses, and without the implicit conversions that clang puts around it."""
        node = self.bare()
        while node.kind == kinds.UNEXPOSED and len(node.expressions) == 1:
            node = node.expressions[0].bare()
        return node


def _is_attribute(raw: RawCursor) -> bool:
    return kinds.FIRST_ATTRIBUTE <= raw.kind <= kinds.LAST_ATTRIBUTE
