"""Parts of arrays: rows, slices, transposes, new axes; and where their elements lie."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Along:
    """An index of an array: `start`, and on the way along axis `axis` of the part `start + step * index`."""

    start: ex.Expr
    step: int = 1
    axis: int | None = None


@dataclass(frozen=True)
class View:
    """A part of array `name`: an index for each of its dimensions, and the extents of the part."""

    name: str
    indices: tuple[Along, ...]
    extents: tuple[ast.expr, ...]

    @property
    def whole(self) -> bool:
        """True for the array as it is."""
        return all(
            i.axis == k and i.step == 1 and isinstance(i.start, ex.Literal) and i.start.value == 0
            for k, i in enumerate(self.indices)
        ) and len(self.indices) == len(self.extents)

    def subscripts(self, at: Sequence[ex.Expr], loc: Loc) -> list[ex.Expr]:
        """Where the element lies that is `at` this place of a larger shape which the part is spread over."""
        at = at[len(at) - len(self.extents) :]
        return [
            _subscript(i, None if i.axis is None or self._is_one(i.axis) else at[i.axis], loc) for i in self.indices
        ]

    def _is_one(self, axis: int) -> bool:
        extent = self.extents[axis]
        return isinstance(extent, ast.Constant) and extent.value == 1

    @property
    def transposed(self) -> View:
        """The axes in reverse order."""
        last = len(self.extents) - 1
        indices = tuple(i if i.axis is None else replace(i, axis=last - i.axis) for i in self.indices)
        return View(self.name, indices, self.extents[::-1])

    def part(self, along: Sequence[Along], extents: tuple[ast.expr, ...], loc: Loc) -> View:
        """A part of the part: what each of its axes becomes, and the new extents."""
        indices = []
        for index in self.indices:
            if index.axis is None:
                indices.append(index)
                continue
            inner = along[index.axis]
            start = added(index.start, scaled(inner.start, index.step, loc), loc)
            indices.append(Along(start, index.step * inner.step, inner.axis))
        return View(self.name, tuple(indices), extents)


def _subscript(index: Along, at: ex.Expr | None, loc: Loc) -> ex.Expr:
    return index.start if at is None else added(index.start, scaled(at, index.step, loc), loc)


def scaled(value: ex.Expr, by: int, loc: Loc) -> ex.Expr:
    """`by * value`, simplified."""
    if isinstance(value, ex.Literal):
        return build.integer(int(value.value) * by, I64, loc)
    return value if by == 1 else build.binary("mul", build.integer(by, I64, loc), value, loc)


def added(a: ex.Expr, b: ex.Expr, loc: Loc) -> ex.Expr:
    """`a + b`, simplified."""
    if isinstance(a, ex.Literal) and isinstance(b, ex.Literal):
        return build.integer(int(a.value) + int(b.value), I64, loc)
    for zero, other in ((a, b), (b, a)):
        if isinstance(zero, ex.Literal) and zero.value == 0:
            return other
    return build.binary("add", a, b, loc)
