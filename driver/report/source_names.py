"""The names that values have in the source, for people: MLIR itself forgets them when it parses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.frontend.mlir.reader import Function

_ARGUMENT = re.compile(r"%([\w$.-]+)")
_RESULT = re.compile(r"%([\w$.-]+)\s*=\s*$")
_CAST = "arith.index_cast"
_VERSION = re.compile(r"_\d+v$")


class SourceNames:
    """Looks names up in the text at the places that MLIR recorded."""

    def __init__(self, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        self._lines = data.decode("latin-1").split("\n")  # columns count bytes

    def of(self, function: Function) -> dict[str, str]:
        """The source's name of each memory and scalar of a function; constants by their value."""
        found = {name: self._of_value(value) or name for name, value in function.reader.values.items()}
        for name, scalar in function.reader.scalars.items():
            if scalar.literal is not None:
                found[name] = scalar.literal.removesuffix(".0")
        return found

    def arguments(self, function: Function) -> list[str]:
        """The source's name of each argument, in order."""
        return [self._of_value(value) for value in function.block.arguments]

    def _of_value(self, value: Any) -> str:
        place = value.location if isinstance(value, ir.BlockArgument) else value.owner.location
        if place.is_a_name():
            return str(place.name_str)
        if isinstance(value, ir.BlockArgument):
            found = _ARGUMENT.match(self._at(value.location)[1])
            return found[1] if found else f"arg{value.arg_number}"
        found = _RESULT.search(self._at(value.owner.location)[0])
        if found is None and value.owner.name == _CAST:
            return self._of_value(value.owner.operands[0])
        return found[1] if found else ""

    def _at(self, location: Any) -> tuple[str, str]:
        """The line of a place, split there."""
        if not location.is_a_file() or location.filename != "-" or location.start_line > len(self._lines):
            return "", ""
        line, column = self._lines[location.start_line - 1], location.start_col - 1
        return line[:column], line[column:]


def shown(name: str, names: dict[str, str]) -> str:
    """The source's name for a name in a term; a state of an array goes by the array's name."""
    return names.get(name) or names.get(_VERSION.sub("", name), name)


_POSITION = re.compile(r"\bargument (\d+)\b|\ba(\d+)(?=[\[=])|\ba(\d+)_(\d+)(?![\w.])|\bn(\d+)(?=[= ])")


def in_names(text: str, names: Sequence[str]) -> str:
    """A text with the names that arguments have in the source in place of their positions."""

    def name(found: re.Match[str]) -> str:
        k = int(next(g for g in found.groups() if g is not None))
        dim = "" if found[4] is None else f".{found[4]}"
        return f"{names[k]}{dim}" if k < len(names) and names[k] else found[0]

    return _POSITION.sub(name, text)
