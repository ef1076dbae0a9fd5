"""Locations in the file that a user wrote, and names that it does not have."""

from __future__ import annotations

from collections.abc import Collection

from raising.support.record import dataclass


@dataclass(frozen=True)
class Loc:
    """A place in the user's file; line and column count from 1, 0 if unknown."""

    file: str = "-"
    line: int = 0
    col: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}" if self.line else self.file


def unused_name(name: str, taken: Collection[str]) -> str:
    """The name, followed by as many underscores as it takes to differ from all of the `taken` ones."""
    while name in taken:
        name += "_"
    return name
