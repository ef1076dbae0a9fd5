"""Listings with links: MLIR with locations and assembly with debug information, as lines that know their sources.

Nothing is parsed by MLIR here: what is shown is the text itself, without what it says about places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from raising.frontend.mlir.attributes import unescaped
from raising.support.record import dataclass

_ALIAS = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')
_INNER = r'(?:[^()"]|"(?:[^"\\]|\\.)*")*'
_LOCATION = re.compile(rf" loc\((?:{_INNER}(?:\({_INNER}\))?)*\)")
_USED = re.compile(r"#loc\d*\b")
_LOC = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_LABEL = re.compile(r"([\w.$@]+):")
_SECTION = re.compile(r"\s*\.(?:section|text|data|bss)\b")
MOST_LINES = 20_000  # of assembly that are shown


@dataclass(frozen=True)
class Listing:
    """Lines of MLIR without locations, and for each the lines of the source that it comes from."""

    lines: tuple[str, ...]
    sources: tuple[tuple[int, ...], ...]

    @property
    def text(self) -> str:
        """The lines as a module."""
        return "\n".join(self.lines) + "\n"


def listing(text: str, file: str) -> Listing:
    """The lines of a module that was printed with locations; those in other files than `file` count for nothing."""
    printed = text.splitlines()
    aliases = {found[1]: found[2] for line in printed if (found := _ALIAS.match(line))}
    kept = [line for line in printed if line.strip() and not _ALIAS.match(line)]
    lines = tuple(_LOCATION.sub("", line) for line in kept)
    own = [_LOCATION.findall(line)[-1:] for line in kept]
    sources = [_lines(found[0], aliases, file) if found else () for found in own]
    return Listing(lines, tuple(_with_heads(lines, sources)))


def _lines(location: str, aliases: dict[str, str], file: str, depth: int = 20) -> tuple[int, ...]:
    found = {int(line) for name, line in _PLACE.findall(location) if unescaped(name) == file}
    for alias in _USED.findall(location) if depth else ():
        found.update(_lines(aliases.get(alias, ""), aliases, file, depth - 1))
    return tuple(sorted(found))


def _with_heads(lines: Sequence[str], sources: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The sources with those of an operation with regions, which stand behind its end, also at its first line."""
    opened: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        indent, bare = len(line) - len(line.lstrip()), line.strip()
        if bare.startswith("}"):
            while opened and opened[-1][0] > indent:
                opened.pop()
            if bare.endswith("{"):  # another region of the same operation
                continue
            if opened and opened[-1][0] == indent:
                head = opened.pop()[1]
                sources[head] = sources[number]
                if lines[head].lstrip().startswith("(") and head:  # the region's arguments: it begins a line before
                    sources[head - 1] = sources[number]
        elif bare.endswith("{"):
            opened.append((indent, number))
    return sources


def assembly(text: str, lines: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Instructions and labels of an assembly text; `from` has for each the number of its set in `sets`.

    `lines` are the lines of the program that the numbers in the debug information stand for.
    """
    shown: list[str] = []
    numbers: list[int] = []
    now, code = 0, True
    for line in text.splitlines():
        place = _LOC.match(line)
        if place:
            now = int(place[1])
        elif _SECTION.match(line):
            code = ".text" in line
        elif code and (label := _LABEL.match(line)):
            if not label[1].startswith((".Ltmp", ".Lfunc", ".Lsec", ".Linfo", ".Ldebug", ".Lline")):
                shown.append(f"{label[1]}:")
                numbers.append(0)
        elif code and (bare := line.split("#")[0].strip()) and not bare.startswith("."):
            shown.append("    " + bare.replace("\t", " ", 1).expandtabs(1))
            numbers.append(now if now < len(lines) else 0)
    cut = max(0, len(shown) - MOST_LINES)
    return {"lines": shown[:MOST_LINES], "from": numbers[:MOST_LINES], "sets": [*map(list, lines)], "cut": cut}
