"""What is wrong with an input as a whole."""

from __future__ import annotations

from affine.program import Loc


class InputError(Exception):
    """The input cannot be read at all: it does not preprocess, parse or verify."""

    def __init__(self, loc: Loc, message: str):
        super().__init__(f"{loc}: error: {message}")
        self.loc = loc
        self.message = message
