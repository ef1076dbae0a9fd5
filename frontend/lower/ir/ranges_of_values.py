"""The least and the greatest value of integers that are data, as the operations that make them say."""

from __future__ import annotations

import re

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import WIDENING, definitions, walk

_NARROW = 16  # bits of an integer of which all values may be elements of a table
_CONSTANT = re.compile(r"arith\.constant (-?\d+) : (?:i\d+|index)")


class Ranges:
    """What the operations that make a number say of it."""

    def __init__(self, function: tp.Function) -> None:
        self.arrays, self.made = function.arrays, definitions(function.body)
        self.writes = [node for node in walk(function.body) if isinstance(node, tp.Write)]

    def of(self, value: int, signed: bool) -> tuple[int, int] | None:
        """The range of a value, of which the bits are read with a sign or without."""
        node = self.made.get(value)
        if isinstance(node, tp.Read):
            return self._read(node, signed)
        if not isinstance(node, tp.Let):
            return None
        if node.text.startswith(WIDENING):
            inner = self.of(node.args[0], "ui " not in node.text)
            return None if inner is not None and inner[0] < 0 and "ui " in node.text else inner
        if found := _CONSTANT.fullmatch(node.text):
            return int(found[1]), int(found[1])
        if node.text.startswith(("arith.andi", "arith.shrsi", "arith.shrui")):
            return self._some_bits(node)
        return None

    def _read(self, read: tp.Read, signed: bool) -> tuple[int, int] | None:
        array, writes = self.arrays[read.array], [w for w in self.writes if w.array == read.array]
        stored = self.of(writes[0].value, signed) if array.kind == "local" and len(writes) == 1 else None
        if stored is not None:
            return stored
        if (width := array.element.width) > _NARROW:
            return None
        return (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)

    def _some_bits(self, node: tp.Let) -> tuple[int, int] | None:
        """The range of a number's lower bits, or of its upper ones if it is not negative."""
        left, right = (self.of(value, signed=True) for value in node.args)
        if node.text.startswith("arith.andi"):
            highest = [high for low, high in filter(None, (left, right)) if low >= 0]
            return (0, min(highest)) if highest else None
        if left is None or right is None or left[0] < 0 or not 0 <= right[0] == right[1]:
            return None
        return left[0] >> right[0], left[1] >> right[0]
