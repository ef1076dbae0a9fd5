"""Preprocessed text to syntax: typedefs, enumerators, globals and functions of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pycparser import CParser, c_ast
from pycparser.c_parser import ParseError

from affine.c.errors import place
from affine.c.lexer import Lexer
from affine.errors import InputError
from affine.program import Loc

_PLACE = re.compile(r"^(.*?):(\d+)(?::(\d+))?: (?:before: )?(.*)$", re.DOTALL)


@dataclass
class Unit:
    """What a file declares, by name; all of it syntax."""

    typedefs: dict[str, Any] = field(default_factory=dict)
    enumerators: list[Any] = field(default_factory=list)
    globals: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    assigned: dict[Any, frozenset[str]] = field(default_factory=dict)  # what is known already, by the syntax
    constants: dict[str, Any] | None = None  # the values of the enumerators, once they are known


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
        """An error at the next token where pycparser names the file only."""
        token = self._tokens.peek(1) if isinstance(coord, str) else None
        super()._parse_error(msg, coord if token is None else self._tok_coord(token))


def parse(text: str, filename: str) -> Unit:
    """The declarations of a preprocessed file; `InputError` if it is not C."""
    try:
        tree = _Parser(lexer=Lexer).parse(text, filename)
    except ParseError as error:
        raise _input_error(str(error), filename) from None
    except RecursionError:
        raise InputError(Loc(filename), "it is nested too deeply to be read") from None
    unit = Unit()
    for node in tree.ext:
        _declare(unit, node)
    return unit


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
            unit.globals[node.name] = node
        _enumerators(unit, node.type)


def _enumerators(unit: Unit, node: Any) -> None:
    while node is not None and not isinstance(node, c_ast.Enum):
        node = getattr(node, "type", None) if not isinstance(node, c_ast.IdentifierType) else None
    if node is not None and node.values is not None:
        unit.enumerators.append(node)
