"""Lexing and parsing: preprocessed C text to the typedefs, enumerators, globals and functions of a file.

One regular expression finds the usual tokens, which is quicker than pycparser's own lexer; that lexer takes the rest,
and the grammar is pycparser's.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any

from pycparser import CParser, c_ast
from pycparser.c_lexer import CLexer, Token
from pycparser.c_parser import ParseError

from raising.frontend.c.ir.module import place
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc

MAX_TOKENS = 250_000  # after preprocessing; a file of 10,000 lines with 500 kernels has a third of it

_MARKS = {
    "<<=": "LSHIFTEQUAL", ">>=": "RSHIFTEQUAL", "++": "PLUSPLUS", "--": "MINUSMINUS", "&&": "LAND", "||": "LOR",
    "<<": "LSHIFT", ">>": "RSHIFT", "<=": "LE", ">=": "GE", "==": "EQ", "!=": "NE", "*=": "TIMESEQUAL",
    "/=": "DIVEQUAL", "%=": "MODEQUAL", "+=": "PLUSEQUAL", "-=": "MINUSEQUAL", "&=": "ANDEQUAL", "|=": "OREQUAL",
    "^=": "XOREQUAL", "->": "ARROW", "=": "EQUALS", "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "DIVIDE",
    "%": "MOD", "|": "OR", "&": "AND", "~": "NOT", "^": "XOR", "!": "LNOT", "<": "LT", ">": "GT", "?": "CONDOP",
    "(": "LPAREN", ")": "RPAREN", "[": "LBRACKET", "]": "RBRACKET", "{": "LBRACE", "}": "RBRACE", ",": "COMMA",
    ";": "SEMI",
}  # fmt: skip
_NOT_BEFORE = {"/": r"(?![/*])", "[": r"(?!\s*\[)"}
"""What would make something else of a mark: a comment, an attribute."""
_USUAL = re.compile(
    r"[ \t\n]*(?:(?P<ID>[A-Za-z_]\w*+)(?![$'\"])|(?P<INT_CONST_DEC>[1-9]\d*+)(?![\w.'$])|(?P<mark>"
    + "|".join(re.escape(mark) + _NOT_BEFORE.get(mark, "") for mark in sorted(_MARKS, key=len, reverse=True))
    + "))",
    re.ASCII,
)


class Lexer(CLexer):  # type: ignore[misc]
    """pycparser's lexer, but quicker; `InputError` where there are more tokens than `MAX_TOKENS`."""

    def _init_state(self) -> None:
        super()._init_state()
        self._pos: int = 0
        self._count = 0

    @property
    def place(self) -> Loc:
        """Behind the last token."""
        return Loc(self._filename, self._lineno, self._pos - self._line_start + 1)

    def token(self) -> Token | None:
        """The next token; None at the end."""
        self._count += 1
        if self._count > MAX_TOKENS:
            raise InputError(self.place, f"the file is too large: more than {MAX_TOKENS} tokens after preprocessing")
        usual = self._pending_tok is None and not self._in_attribute
        found = _USUAL.match(self._lexdata, self._pos) if usual else None
        return super().token() if found is None else self._made(found)

    def _made(self, found: re.Match[str]) -> Token:
        kind = str(found.lastgroup)
        value, start = found[kind], found.start(kind)
        lines = self._lexdata.count("\n", self._pos, start)
        if lines:
            self._lineno += lines
            self._line_start = self._lexdata.rfind("\n", self._pos, start) + 1
        self._pos = found.end()
        if kind == "mark":
            kind = _MARKS[value]
        elif kind == "ID":
            kind = self._keyword_map.get(value, "ID")
        return Token(kind, value, self._lineno, start - self._line_start + 1, self._filename)


_PLACE = re.compile(r"^(.*?):(\d+)(?::(\d+))?: (?:before: )?(.*)$", re.DOTALL)


@dataclass
class Unit:
    """What a file declares, by name; all of it syntax."""

    typedefs: dict[str, Any] = field(default_factory=dict)
    enumerators: list[Any] = field(default_factory=list)
    globals: dict[str, Any] = field(default_factory=dict)
    storage: dict[str, list[set[str]]] = field(default_factory=dict)  # of each declaration of a global
    statics: dict[str, tuple[Any, str]] = field(default_factory=dict)  # of functions: syntax, function; by symbol
    functions: dict[str, Any] = field(default_factory=dict)
    assigned: dict[Any, frozenset[str]] = field(default_factory=dict)  # what is known already, by the syntax
    language: str = "C"  # what the syntax was made from
    steps: int = 0  # how many expressions were lowered
    constants: dict[str, Any] | None = None  # the values of the enumerators, once they are known

    @property
    def has_flat_memory(self) -> bool:
        """True if memory of one dimension may hold rows, whose length is found from its subscripts."""
        return self.language == "C"

    def variable(self, name: str) -> Any:
        """The declaration of a variable of the file, or of a static one of a function by its symbol."""
        return self.statics[name][0] if name in self.statics else self.globals[name]

    def owner(self, name: str) -> str:
        """The function that a static variable belongs to; empty for one of the file."""
        return self.statics[name][1] if name in self.statics else ""

    def is_static(self, name: str) -> bool:
        """Whether other files cannot see a variable (C11 6.2.2)."""
        return name in self.statics or any("static" in storage for storage in self.storage[name])

    def is_defined(self, name: str) -> bool:
        """Whether the file defines a variable, or says only that another file does (C11 6.9.2)."""
        if name in self.statics or self.globals[name].init is not None:
            return True
        return self.is_static(name) or any("extern" not in storage for storage in self.storage[name])


class _Parser(CParser):  # type: ignore[misc]
    def _tok_coord(self, tok: Any) -> Loc:
        """Places are ours from the start."""
        return Loc(tok.filename or "-", tok.lineno, tok.column)

    def _peek(self, k: int = 1) -> Any:
        """The k-th next token; as pycparser does it, which is asked most of the time for one that it has."""
        stream = self._tokens
        at = stream._index + k - 1
        token = stream._buffer[at] if at < len(stream._buffer) else stream.peek(k)
        if token is not self._typedef_checked_token:
            self._classify_identifier(token)
        return token

    def _parse_error(self, msg: str, coord: Any) -> None:
        """An error at the next token where pycparser names the file only, or at a name that is no type."""
        token = self._tokens.peek(1) if isinstance(coord, str) else None
        where = coord if token is None else self._tok_coord(token)
        unknown = self._unknown_type(where)
        if unknown is not None:
            msg, where = f"'{unknown.value}' is not known as a type", self._tok_coord(unknown)
        super()._parse_error(msg, where)

    def _unknown_type(self, where: Any) -> Any:
        """The name beside an error that stands where only a type can: before another name, or `*` in a declaration."""
        if self._tokens.peek(1) is not None:
            self._tokens.peek(2)
        tokens = [t for t in self._tokens._buffer if t is not None]
        at = next((k for k in range(len(tokens) - 1, -1, -1) if self._tok_coord(tokens[k]) == where), None)
        kinds = [t.type for t in tokens]
        if at is None:
            return None
        if kinds[at - 3 : at] == ["LPAREN", "ID", "RPAREN"]:
            return tokens[at - 2] if kinds[at] in ("ID", "INT_CONST_DEC", "FLOAT_CONST") else None
        if kinds[at] == "TIMES":
            return tokens[at - 1] if at and kinds[at - 1] == "ID" else None
        first = at - 1 if at and kinds[at - 1] == kinds[at] == "ID" else at
        follows = kinds[first + 1 : first + 2]
        return tokens[first] if kinds[first] == "ID" and follows in (["ID"], ["TIMES"]) else None


def parse(text: str, filename: str) -> Unit:
    """The declarations of a preprocessed file; `InputError` if it is not C."""
    parser = _Parser(lexer=Lexer)
    try:
        tree = parser.parse(_without_digraphs(text), filename)
    except ParseError as error:
        raise _input_error(str(error), filename) from None
    except RecursionError:
        raise InputError(parser.clex.place, "it is nested too deeply to be read") from None
    unit = Unit()
    for node in tree.ext:
        _declare(unit, node)
    return unit


_DIGRAPHS = {"<:": "[ ", ":>": "] ", "<%": "{ ", "%>": "} "}
_DIGRAPH_OR_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|' + "|".join(_DIGRAPHS))


def _without_digraphs(text: str) -> str:
    """Other spellings of brackets and braces (C11 6.4.6) as the usual ones, in as many columns."""
    if not any(digraph in text for digraph in _DIGRAPHS):
        return text
    return _DIGRAPH_OR_TEXT.sub(lambda found: _DIGRAPHS.get(found[0], found[0]), text)


def _input_error(message: str, filename: str) -> InputError:
    found = _PLACE.match(message)
    if not found:
        early = message.endswith("At end of input")
        return InputError(Loc(filename), "the text ends too early" if early else f"not valid C: {message}")
    file, line, column, text = found.groups()
    reason = text if " " in text else f"syntax error before '{text}'"
    return InputError(Loc(file, int(line), int(column or 1)), reason)


def _declare(unit: Unit, node: Any) -> None:
    if isinstance(node, c_ast.FuncDef):
        if node.decl.name in unit.functions:
            raise InputError(place(node.decl), f"function '{node.decl.name}' is defined twice")
        unit.functions[node.decl.name] = node
    elif isinstance(node, c_ast.Typedef):
        unit.typedefs[node.name] = node.type
        _enumerators(unit, node.type)
    elif isinstance(node, c_ast.Decl):
        if isinstance(node.type, c_ast.FuncDecl):
            return
        if node.name:
            unit.storage.setdefault(node.name, []).append({*node.storage})
            unit.globals[node.name] = max(unit.globals.get(node.name, node), node, key=_completeness)
        _enumerators(unit, node.type)


def _completeness(node: Any) -> tuple[bool, bool, bool]:
    """Which of several declarations says most of a variable."""
    opened = isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is None
    return node.init is not None, not opened, "extern" not in node.storage


def _enumerators(unit: Unit, node: Any) -> None:
    while node is not None and not isinstance(node, c_ast.Enum):
        node = getattr(node, "type", None) if not isinstance(node, c_ast.IdentifierType) else None
    if node is not None and node.values is not None:
        unit.enumerators.append(node)
