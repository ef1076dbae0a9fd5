"""Places in the file that a user wrote."""

from __future__ import annotations

from raising.support.record import dataclass


@dataclass(frozen=True)
class Loc:
    """A place in the user's file; line and column count from 1, 0 if unknown."""

    file: str = "-"
    line: int = 0
    col: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}" if self.line else self.file
