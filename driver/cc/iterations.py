"""How often the loops of a function run, as C that can be asked in front of a call of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir

from raising.cc.choice import around
from raising.support.mlir.walk import operations
from raising.support.record import dataclass

_OF_VALUES = {"arith.addi": "+", "arith.subi": "-", "arith.muli": "*"}
_CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui")
_OF_MAPS = {"floordiv": "/", "ceildiv": "/", "mod": "%"}
_WORD = re.compile(r"\b(?:[ds]\d+|floordiv|ceildiv|mod)\b")
_LONGEST = 200
"""Characters of a count: to ask in front of a loop is to be cheap."""


class _Unknown(Exception):
    """It is no expression over the arguments."""


@dataclass(frozen=True)
class Iterations:
    """How often each loop runs, in C, and the arguments that this asks for.

    Integers in `counts` have no sign, so that they may wrap around, and quotients are those of numbers that are not
    negative: where that is not so, a count says nothing.
    """

    counts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    def test(self, least: int) -> str:
        """C that holds if one of the loops runs so often."""
        return f"({' || '.join(f'{count} >= {least}' for count in self.counts)})" if self.counts else ""


def iterations(function: Any, names: Sequence[str]) -> Iterations | None:
    """How often the loops of a function run, whose arguments have these `names`.

    None if that is no short expression over the arguments; where loops have loops inside, nothing is to be asked.
    """
    block, loops = function.regions[0].blocks[0], operations(function, lambda op: op.name == "affine.for")
    if any(len(around(loop)) > 1 for loop in loops):
        return Iterations()
    known = {a: name for a, name in zip(block.arguments, names, strict=True) if isinstance(a.type, ir.IntegerType)}
    try:
        counts = tuple(dict.fromkeys(_count(loop, known) for loop in loops))
    except _Unknown:
        return None
    asked = frozenset(re.findall(r"\w+", " ".join(counts))) & {*known.values()}
    return Iterations(counts, asked) if max(map(len, counts)) <= _LONGEST else None


def _count(loop: Any, known: Mapping[Any, str]) -> str:
    first = ir.AffineMapAttr(loop.attributes["lowerBoundMap"]).value
    lower = _bound(first, loop.operands[: first.n_inputs], known)
    last = ir.AffineMapAttr(loop.attributes["upperBoundMap"]).value
    upper = _bound(last, loop.operands[first.n_inputs : first.n_inputs + last.n_inputs], known)
    step = ir.IntegerAttr(loop.attributes["step"]).value if "step" in loop.attributes else 1
    count = f"(long)({upper})" if lower == "0" else f"(long)({upper} - ({lower}))"
    return count if step == 1 else f"{count} / {step}"


def _bound(bound: Any, operands: Sequence[Any], known: Mapping[Any, str]) -> str:
    if len(bound.results) != 1:
        raise _Unknown
    values = [_value(operand, known) for operand in operands]
    inputs = [f"d{k}" for k in range(bound.n_dims)] + [f"s{k}" for k in range(bound.n_symbols)]
    words = _OF_MAPS | dict(zip(inputs, values, strict=True))
    return _WORD.sub(lambda word: words[word[0]], str(bound.results[0]))


def _value(value: Any, known: Mapping[Any, str]) -> str:
    if value in known:
        return f"(unsigned long){known[value]}"
    op = value.owner.operation if isinstance(value, ir.OpResult) else None
    if op is not None and op.name == "arith.constant" and isinstance(op.attributes["value"], ir.IntegerAttr):
        return f"{ir.IntegerAttr(op.attributes['value']).value}ul"
    if op is not None and op.name in _CASTS:
        return _value(op.operands[0], known)
    if op is not None and op.name in _OF_VALUES:
        left, right = (_value(operand, known) for operand in op.operands)
        return f"({left} {_OF_VALUES[op.name]} {right})"
    raise _Unknown
