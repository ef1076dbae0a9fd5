"""Where `#pragma scop` and `#pragma endscop` stand; clang's syntax does not have them."""

from __future__ import annotations

import re

from raising.frontend.core.statement_nodes import Span
from raising.support.record import dataclass
from raising.support.source import Loc

MARK = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+(scop|endscop)\b", re.MULTILINE)
_NOISE = re.compile(rb"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


@dataclass(frozen=True)
class Marked:
    """A region: from the line of the first pragma to that of the second, in bytes. `end` is -1 if there is none."""

    start: int
    end: int
    loc: Loc

    @property
    def span(self) -> Span:
        """The bytes of the region."""
        return Span(self.start, self.end)


def marked_regions(text: bytes, filename: str, skipped: list[tuple[int, int]]) -> list[Marked]:
    """The regions of a file in order, without those in comments and in what `#if` leaves out."""
    clean = _NOISE.sub(lambda m: re.sub(rb"[^\n]", b" ", m.group()), text)
    found: list[Marked] = []
    opened: tuple[int, Loc] | None = None
    for mark in MARK.finditer(clean):
        if any(low <= mark.start() < high for low, high in skipped):
            continue
        if mark.group(1) == b"scop":
            if opened is not None:
                found.append(Marked(opened[0], -1, opened[1]))
            line = text.count(b"\n", 0, mark.start()) + 1
            opened = mark.start(), Loc(filename, line, mark.group().index(b"#") + 1)
        elif opened is not None:
            found.append(Marked(opened[0], mark.start(), opened[1]))
            opened = None
    return [*found, *([Marked(opened[0], -1, opened[1])] if opened is not None else [])]
