"""Slices along an axis: where they begin, and how many elements they have."""

from __future__ import annotations

import ast
from typing import cast

from raising.frontend.python.module import refused
from raising.frontend.python.whole_arrays.indexing.broadcasting import Broadcasting
from raising.frontend.python.whole_arrays.indexing.canonical_extents import calculated, polynomial


class Slices(Broadcasting):
    """Reads slices of arrays, with their assumptions."""

    def sliced(self, part: ast.Slice, extent: ast.expr) -> tuple[ast.expr, int, ast.expr]:
        """The start, the step and the length of a slice along an axis of this extent, in canonical form."""
        step = 1 if part.step is None else self.module.number(part.step)
        if not isinstance(step, int) or step == 0:
            raise refused(self.module, part, "a slice whose step is not a constant other than 0")
        known, place = polynomial(extent, self.meaning), part.lower or part.upper or extent
        low, high = (None if bound is None else self.module.number(bound) for bound in (part.lower, part.upper))
        constant = all(b is None or isinstance(n, int) for b, n in ((part.lower, low), (part.upper, high)))
        if known is not None and known.constant is not None and constant:
            places = range(known.constant)[cast(int | None, low) : cast(int | None, high) : step]
            numbers = ast.Constant(places.start if places else 0), ast.Constant(len(places))
            return ast.copy_location(numbers[0], place), step, ast.copy_location(numbers[1], place)
        first, end = self._first(part, extent, step), self._end(part, extent, step)
        gap = (end, first) if step > 0 else (first, end)
        rounded = calculated(calculated(gap[0], ast.Sub(), gap[1], place), ast.Add(), abs(step) - 1, place)
        length = self.canonical(calculated(rounded, ast.FloorDiv(), abs(step), place))
        return ast.copy_location(self.canonical(first), place), step, length

    def _first(self, part: ast.Slice, extent: ast.expr, step: int) -> ast.expr:
        """Where a slice begins; if it goes backwards, in its array."""
        if part.lower is None:
            return ast.Constant(0) if step > 0 else calculated(extent, ast.Sub(), 1, extent)
        first = self._place_of(part.lower, extent)
        if self.module.number(part.lower) is None or self.module.as_written:  # else accesses tell
            self.require("slices begin at no negative place", first, 0, part.lower)
        if step < 0:
            needed = calculated(first, ast.Add(), 1, first)
            self.require("slices end in their arrays", extent, needed, part.lower)
        return first

    def _end(self, part: ast.Slice, extent: ast.expr, step: int) -> ast.expr:
        """The place behind a slice, which has to lie in its array: that is asked where it is not clear."""
        if part.upper is None:
            return extent if step > 0 else ast.Constant(-1)
        if step < 0:
            raise refused(self.module, part, "a slice that goes backwards to a place that is not the first")
        end, number = self._place_of(part.upper, extent), self.module.number(part.upper)
        if number is None or self.module.as_written:
            self.require("slices end at no negative place", end, 0, part.upper)
        if number is None or number > 0:
            self.require("slices end in their arrays", extent, end, part.upper)
        return end

    def _place_of(self, node: ast.expr, extent: ast.expr) -> ast.expr:
        """The place that a bound names: a negative one counts from the end."""
        number = self.module.number(node)
        if number is not None:
            return node if number >= 0 else ast.copy_location(ast.BinOp(extent, ast.Add(), ast.Constant(number)), node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            why = "a negative bound of a slice counts from the end of its array"
            self.require(why, node.operand, 1, node)
            self.require(why, extent, node.operand, node)
            node = calculated(extent, ast.Sub(), node.operand, node)
        if polynomial(node, self.meaning) is None:
            raise refused(self.module, node, "a bound of a slice that is not a sum of sizes and counters")
        return node
