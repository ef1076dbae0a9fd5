"""Why a function stays in C."""

from __future__ import annotations

from typing import Any

from affine.program import Loc


class Refused(Exception):
    """A function is outside of the subset: where, and what it is."""

    def __init__(self, loc: Loc, reason: str):
        super().__init__(reason)
        self.loc = loc
        self.reason = reason


def place(node: Any) -> Loc:
    """The place of a syntax node, as the parser has set it."""
    coord = node.coord
    return coord if isinstance(coord, Loc) else Loc()
