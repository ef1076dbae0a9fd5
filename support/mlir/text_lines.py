"""Lines of text while they are written: indented by the regions around them, with a fresh name for every value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class TextLines:
    """The lines so far; `indent` is the number of regions around the next one."""

    stem = "t"  # what fresh names begin with where nothing else is said

    def __init__(self, indent: int = 0) -> None:
        self.lines: list[str] = []
        self.indent, self._count = indent, 0

    def fresh(self, stem: str | None = None) -> str:
        """A name that no value has yet."""
        self._count += 1
        return f"%{self.stem if stem is None else stem}{self._count}"

    def line(self, text: str) -> None:
        """Write an operation without results, or a part of one."""
        self.lines.append("  " * self.indent + text)

    def op(self, text: str, stem: str | None = None) -> str:
        """Write an operation with one result; the result's name."""
        name = self.fresh(stem)
        self.line(f"{name} = {text}")
        return name

    @contextmanager
    def region(self, head: str, tail: str = "") -> Iterator[None]:
        """Lines inside of a region that `head` opens; without `tail`, the caller closes it."""
        self.line(head)
        self.indent += 1
        yield
        self.indent -= 1
        if tail:
            self.line(tail)
