"""Tokens of preprocessed text: the usual ones by one expression, the rest by pycparser."""

from __future__ import annotations

import re

from pycparser.c_lexer import CLexer, Token

from affine.errors import InputError
from affine.program import Loc

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
