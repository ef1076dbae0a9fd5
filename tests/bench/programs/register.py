"""The register of programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from raising.support.record import dataclass

Maker = Callable[[Any, int], tuple[Any, ...]]
"""The arguments of a program: from a generator of random numbers and a size."""


@dataclass(frozen=True)
class Program:
    """A function with its field, what makes its arguments, and two sizes to compare at; it is timed at the larger."""

    function: Callable[..., Any]
    field: str
    make: Maker
    sizes: tuple[int, int]

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    def arguments(self, size: int) -> tuple[Any, ...]:
        """The same arguments at each call."""
        return self.make(np.random.default_rng(42), size)


PROGRAMS: dict[str, Program] = {}


def program(make: Maker, *sizes: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function; its field is the module that it is in."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        small, large = sizes
        field = function.__module__.rpartition(".")[2]
        PROGRAMS[function.__name__] = Program(function, field, make, (small, large))
        return function

    return register


def single(g: Any, *shape: int) -> Any:
    """Random numbers of float32 in 0 to 1."""
    return g.random(shape, dtype=np.float32)


def double(g: Any, *shape: int) -> Any:
    """Random numbers of float64 in 0 to 1."""
    return g.random(shape)
