"""The table of oracles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
Oracle = Callable[..., dict[str, Any]]
ORACLES: dict[str, Oracle] = {}


def oracle(name: str) -> Callable[[Oracle], Oracle]:
    """Register a function as the oracle of `name`."""

    def register(function: Oracle) -> Oracle:
        ORACLES[name] = function
        return function

    return register
