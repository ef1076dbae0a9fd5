"""The error of a function outside of what can be compared."""

from __future__ import annotations

from raising.support.source import Loc


class Unreadable(Exception):
    """A function outside of what can be compared, and where; it is no error of the user's."""

    def __init__(self, reason: str, loc: Loc | None = None) -> None:
        super().__init__(f"{loc}: {reason}" if loc is not None and loc.line else reason)
