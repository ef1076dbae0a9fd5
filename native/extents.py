"""The extents of arrays of a C function, for those who compile it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import affine.extents
from affine.extents import UNBOUNDED as UNBOUNDED
from native.errors import CompileError

T = TypeVar("T")


def evaluate(text: str, names: Mapping[str, T], number: Callable[[int], T], combine: Callable[[str, T, T], T]) -> T:
    """As `affine.extents.evaluate`; CompileError for what is no extent."""
    try:
        return affine.extents.evaluate(text, names, number, combine)
    except ValueError as error:
        raise CompileError(str(error)) from None
