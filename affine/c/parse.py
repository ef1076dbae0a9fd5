"""Preprocessed text to syntax: typedefs, enumerators, globals and functions of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pycparser import CParser, c_ast
from pycparser.c_parser import ParseError

from affine.c.errors import place
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


class _Parser(CParser):  # type: ignore[misc]
    def _parse_error(self, msg: str, coord: Any) -> None:
        """An error at the next token where pycparser names the file only."""
        token = self._tokens.peek(1) if isinstance(coord, str) else None
        super()._parse_error(msg, coord if token is None else self._tok_coord(token))


def parse(text: str, filename: str) -> Unit:
    """The declarations of a preprocessed file; `InputError` if it is not C."""
    try:
        tree = _Parser().parse(text, filename)
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
