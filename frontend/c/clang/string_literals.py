"""The characters of a string literal, from the text that clang spells it with."""

from __future__ import annotations

import re

_TEXT = re.compile(r'^(L|u8|u|U)?"(.*)"$', re.DOTALL)
_PART = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|([^\\])", re.DOTALL)
_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


def characters(text: str) -> list[int] | None:
    """The values without the 0 at the end; None for a text that is no string literal.

    Characters of plain strings are bytes as signed numbers, as `char` has them on x86.
    """
    found = _TEXT.match(text)
    if not found:
        return None
    wide = found.group(1) in ("L", "u", "U")
    values: list[int] = []
    for escape, plain in _PART.findall(found.group(2)):
        value = _escaped(escape) if escape else None
        if value is not None and (wide or escape[0] not in "uU"):
            values.append(value)
        elif wide:
            values.append(ord(plain))
        else:
            values += (plain or chr(value or 0)).encode()
    return values if wide else [v - 256 if v > 127 else v for v in values]


def _escaped(text: str) -> int:
    if text[0] in "01234567":
        return int(text, 8)
    if text[0] in "xuU" and len(text) > 1:
        return int(text[1:], 16)
    return _ESCAPES.get(text, ord(text[0]))
