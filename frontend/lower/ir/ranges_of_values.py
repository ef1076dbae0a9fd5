"""The least and the greatest value of integers that are data, as the operations that make them say."""

from __future__ import annotations

import re
from collections.abc import Mapping

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import WIDENING, definitions, walk

_NARROW = 16  # bits of an integer of which all values may be elements of a table
_DEEP = 16  # operations, at most, through which a value is followed
_CONSTANT = re.compile(r"arith\.constant (-?\d+) : (?:i\d+|index)")
_COMPARED = re.compile(r"arith\.cmpi s(lt|le|gt|ge), .* : i(\d+)")
_POSITIVE = re.compile(r"math\.(absf|sqrt|exp2?)\b|arith\.uitofp\b|arith\.constant \d+\.")
_KEEPS_SIGN = re.compile(r"arith\.(addf|mulf|divf|maximumf|minimumf|maxnumf|minnumf|extf|truncf)\b")

_Range = tuple[int, int]


class Ranges:
    """What the operations that make a number say of it."""

    def __init__(self, function: tp.Function) -> None:
        self.arrays, self.made = function.arrays, definitions(function.body)
        self.writes = [node for node in walk(function.body) if isinstance(node, tp.Write)]

    def of(self, value: int, signed: bool) -> _Range | None:
        """The range of a value, of which the bits are read with a sign or without; None if it is not a narrow one."""
        found = self._of(value, signed, {}, _DEEP)
        return found if found is not None and found[1] - found[0] < 1 << _NARROW else None

    def _of(self, value: int, signed: bool, known: Mapping[int, _Range], deep: int) -> _Range | None:
        """The range of a value where some are `known` to be in theirs."""
        node = self.made.get(value)
        found = self._made(node, signed, known, deep - 1) if deep and node is not None else None
        if value not in known:
            return found
        low, high = known[value]
        return (low, high) if found is None else (max(low, found[0]), min(high, found[1]))

    def _made(self, node: tp.Definition, signed: bool, known: Mapping[int, _Range], deep: int) -> _Range | None:
        if isinstance(node, tp.Read):
            return self._read(node, signed, deep)
        if not isinstance(node, tp.Let):
            return None
        if node.text.startswith(WIDENING):
            inner = self._of(node.args[0], "ui " not in node.text, known, deep)
            return None if inner is not None and inner[0] < 0 and "ui " in node.text else inner
        if found := _CONSTANT.fullmatch(node.text):
            return int(found[1]), int(found[1])
        if node.text.startswith(("arith.andi", "arith.shrsi", "arith.shrui")):
            return self._some_bits(node, known, deep)
        if node.text.startswith("arith.select ") and signed and node.type.startswith("i"):
            return self._chosen(node, known, deep)
        if node.text.startswith("arith.fptosi") and self._not_negative(node.args[0], deep):
            return 0, (1 << int(node.type[1:]) - 1) - 1
        return None

    def _read(self, read: tp.Read, signed: bool, deep: int) -> _Range | None:
        array, writes = self.arrays[read.array], [w for w in self.writes if w.array == read.array]
        local = array.kind == "local" and len(writes) == 1
        stored = self._of(writes[0].value, signed, {}, deep) if local else None
        if stored is not None:
            return stored
        if (width := array.element.width) > _NARROW:
            return None
        return (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)

    def _some_bits(self, node: tp.Let, known: Mapping[int, _Range], deep: int) -> _Range | None:
        """The range of a number's lower bits, or of its upper ones if it is not negative."""
        left, right = (self._of(value, True, known, deep) for value in node.args)
        if node.text.startswith("arith.andi"):
            highest = [high for low, high in filter(None, (left, right)) if low >= 0]
            return (0, min(highest)) if highest else None
        if left is None or right is None or left[0] < 0 or not 0 <= right[0] == right[1]:
            return None
        return left[0] >> right[0], left[1] >> right[0]

    def _chosen(self, node: tp.Let, known: Mapping[int, _Range], deep: int) -> _Range | None:
        """The range of both sides of a choice, each where its condition holds, or does not."""
        cond, *sides = node.args
        found = [self._of(side, True, self._where(cond, not k, known, deep), deep) for k, side in enumerate(sides)]
        one, two = found
        return None if one is None or two is None else (min(one[0], two[0]), max(one[1], two[1]))

    def _where(self, cond: int, holds: bool, known: Mapping[int, _Range], deep: int) -> Mapping[int, _Range]:
        """What is known where a comparison of a number with another one that has a range holds, or does not."""
        asked = self.made.get(cond)
        compared = _COMPARED.fullmatch(asked.text) if isinstance(asked, tp.Let) else None
        if not isinstance(asked, tp.Let) or compared is None:
            return known
        less = (compared[1][0] == "l") == holds
        strict = (compared[1][1] == "t") == holds
        width = 1 << int(compared[2]) - 1
        new = dict(known)
        for value, other, below in zip(asked.args, reversed(asked.args), (less, not less), strict=True):
            limit = self._of(other, True, known, deep)
            low, high = new.get(value, (-width, width - 1))
            if limit is not None:
                new[value] = (low, min(high, limit[1] - strict)) if below else (max(low, limit[0] + strict), high)
        return new

    def _not_negative(self, value: int, deep: int) -> bool:
        """Whether a float is at least 0, or no number: then no integer is made of it."""
        node = self.made.get(value)
        if not isinstance(node, tp.Let) or not deep:
            return False
        if _POSITIVE.match(node.text):
            return True
        if node.text.startswith("arith.sitofp"):
            found = self._of(node.args[0], True, {}, deep - 1)
            return found is not None and found[0] >= 0
        sides = node.args[1:] if node.text.startswith("arith.select ") else node.args
        passes = node.text.startswith("arith.select ") or _KEEPS_SIGN.match(node.text) is not None
        square = node.text.startswith("arith.mulf") and len(set(sides)) == 1
        return square or (passes and all(self._not_negative(side, deep - 1) for side in sides))
