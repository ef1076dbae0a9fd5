"""Everyday functions in C, of open sizes: the texts beside this file, one for each domain.

Above each function stand its sizes, a small and a large one of each (`n=1000:4000000`), and the elements of the arrays
behind its pointers, as expressions over the sizes (`a=3*n`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from raising.support.record import dataclass


@dataclass(frozen=True)
class Function:
    """A function in C; `lengths` are expressions over the sizes, for pointers; `sizes` small and large ones."""

    domain: str
    text: str
    lengths: dict[str, str]
    sizes: tuple[dict[str, int], dict[str, int]]

    @property
    def name(self) -> str:
        """Its name in C."""
        return re.split(r"\W+", self.text.split("(", 1)[0].strip())[-1]

    @property
    def result(self) -> str:
        """The type of what it returns, in C."""
        return self.text.split("(", 1)[0].rsplit(" ", 1)[0].strip()


def functions() -> Iterator[Function]:
    """All of them, by domain."""
    for path in sorted(Path(__file__).parent.glob("*.c")):
        yield from read(path)


def read(path: Path) -> Iterator[Function]:
    """The functions of a text."""
    for part in path.read_text().split("// ")[1:]:
        head, text = part.split("\n", 1)
        sizes, lengths = (dict(each.split("=") for each in side.split()) for side in head.split("|"))
        pairs = {name: tuple(map(int, both.split(":"))) for name, both in sizes.items()}
        small, large = ({name: pair[k] for name, pair in pairs.items()} for k in range(2))
        yield Function(path.stem, text, lengths, (small, large))
