"""Parts of arrays: rows, slices, transposes, new axes; and where their elements lie."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I64
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.python.whole_arrays.indexing.canonical_extents import is_one, of_integer, polynomial
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

    def same_as(self, other: View) -> bool:
        """True if each element lies where that of the other part does, also where both are spread over a shape."""
        if [ast.unparse(e) for e in self.extents] != [ast.unparse(e) for e in other.extents]:
            return False
        pairs = zip(self.indices, other.indices, strict=True)
        return self.name == other.name and all(
            (a.step, a.axis) == (b.step, b.axis) and _gap(a.start, b.start) == 0 for a, b in pairs
        )

    def apart_from(self, other: View) -> bool:
        """True if some index shows that no element lies in both parts of one array."""
        ranges = zip(self._ranges(), other._ranges(), strict=True)
        return any(_is_above(a[0], b[1]) or _is_above(b[0], a[1]) for a, b in ranges)

    def _ranges(self) -> list[tuple[Poly | None, Poly | None]]:
        """The least and the greatest of each index, as far as they are known."""
        found: list[tuple[Poly | None, Poly | None]] = []
        for index in self.indices:
            start = of_integer(index.start)
            last = start if index.axis is None else None
            if index.axis is not None and start is not None:
                length = polynomial(self.extents[index.axis], _nothing)
                last = None if length is None else start + (length - 1) * index.step
            found.append((start, last) if index.axis is None or index.step > 0 else (last, start))
        return found

    def subscripts(self, at: Sequence[ex.Expr], loc: Loc) -> list[ex.Expr]:
        """Where the element lies that is `at` this place of a larger shape which the part is spread over."""
        inner = at[len(at) - len(self.extents) :]
        places = [None if e is None or is_one(self.extents[e]) else inner[e] for e in (i.axis for i in self.indices)]
        return [_subscript(index, place, loc) for index, place in zip(self.indices, places, strict=True)]

    @property
    def transposed(self) -> View:
        """The axes in reverse order."""
        last = len(self.extents) - 1
        indices = tuple(i if i.axis is None else replace(i, axis=last - i.axis) for i in self.indices)
        return View(self.name, indices, self.extents[::-1])

    def reordered(self, order: Sequence[int]) -> View:
        """The axes in another order: of each new one, which it was."""
        indices = tuple(i if i.axis is None else replace(i, axis=order.index(i.axis)) for i in self.indices)
        return View(self.name, indices, tuple(self.extents[k] for k in order))

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


def _nothing(node: ast.expr) -> None:
    return None


def _is_above(a: Poly | None, b: Poly | None) -> bool:
    gap = None if a is None or b is None else (a - b).constant
    return gap is not None and gap > 0


def _gap(a: ex.Expr, b: ex.Expr) -> int | None:
    """How far two integers are apart."""
    forms = of_integer(a), of_integer(b)
    return None if forms[0] is None or forms[1] is None else (forms[0] - forms[1]).constant


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
