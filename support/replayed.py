"""Values that are made when somebody first asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Replayed(Generic[T]):
    """What an iterator gives, as often as it is asked for: each value is made once, and none that nobody needs."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source = source
        self._made: list[T] = []

    def __iter__(self) -> Iterator[T]:
        yield from self._made
        for value in self._source:
            self._made.append(value)
            yield value
