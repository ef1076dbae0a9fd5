"""Sums of bytes and of absolute differences of bytes: x86-64 has one instruction that adds eight of them.

What a nest adds is looked at by its values for every pair of bytes, however it is written. The instruction adds to
lanes of 64 bits; what is kept of their sum, its lowest bits, is what sums that wrap around give.

    before  %s = arith.addi %old, (math.absi (arith.subi (arith.extui %a), (arith.extui %b)))
    after   %s = arith.addi %old, (llvm.call_intrinsic "llvm.x86.avx2.psad.bw"(%a, %b))
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from raising.native.loops.sums.grouped import DIFFERENCES, Grouped, added, leaves
from raising.native.nest.nest import Nest, Scalar

_BYTE = DIFFERENCES.bits
_WIDEST = 64
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.xori": np.bitwise_xor,
    "arith.extsi": np.positive,
    "arith.trunci": np.positive,
    "math.absi": np.abs,
    "arith.select": lambda flag, one, other: np.where(flag != 0, one, other),
}
_UNSIGNED: dict[str, Callable[..., Any]] = {
    "arith.extui": np.positive,
    "arith.maxui": np.maximum,
    "arith.minui": np.minimum,
}
_COMPARED = (operator.eq, operator.ne, *(operator.lt, operator.le, operator.gt, operator.ge) * 2)
_LAST_SIGNED = 5


def summed_bytes(nest: Nest) -> Grouped | None:
    """The sum of a nest that adds bytes without a sign, or absolute differences of two; None if it does not."""
    term = added(nest, ("i32", "i64"))
    names = leaves(nest.body, [term]) if term else []
    if term is None or not 1 <= len(names) <= 2 or not all(_is_byte(nest, name) for name in names):
        return None
    every = np.arange(1 << _BYTE, dtype=np.int64)
    pairs = [every[:, None] + 0 * every, every + 0 * every[:, None]]
    given = {name: _signed(values, _BYTE) for name, values in zip(names, pairs, strict=False)}
    wanted = pairs[0] if len(names) == 1 else np.abs(pairs[0] - pairs[1])
    found = _value(nest, term, given)
    right = found is not None and np.array_equal(found, wanted)
    return Grouped(DIFFERENCES, nest.body, (tuple(names),)) if right else None


def _is_byte(nest: Nest, name: str) -> bool:
    return name.startswith("in") and nest.reads[int(name[2:])].array.element == "i8"


def _signed(values: Any, bits: int) -> Any:
    """The lowest bits of some integers, as numbers with a sign."""
    if bits == _WIDEST:
        return values
    half = 1 << (bits - 1)
    return ((values + half) & ((1 << bits) - 1)) - half


def _value(nest: Nest, name: str, given: dict[str, Any]) -> Any:
    """A value of the body at all given values of the reads, with its sign; None if an operation is not known."""
    if name in given:
        return given[name]
    scalar = nest.body[int(name[1:])]
    if scalar.name == "arith.constant":
        number = re.search(r"value = (-?\d+) : i\d+", scalar.properties)
        return None if number is None else np.int64(int(number[1]))
    args = [_value(nest, arg, given) for arg in scalar.args]
    widths = [re.fullmatch(r"i(\d+)", kind) for kind in (*scalar.operands, scalar.result)]
    bits = [int(width[1]) for width in widths if width]
    if len(bits) < len(widths) or max(bits) > _WIDEST or any(arg is None for arg in args):
        return None
    found = _done(scalar, args, bits)
    return None if found is None else _signed(found, bits[-1])


def _done(scalar: Scalar, args: list[Any], bits: list[int]) -> Any:
    """An operation on numbers with a sign, of so many bits each."""
    if scalar.name in _OPERATIONS:
        return _OPERATIONS[scalar.name](*args)
    plain = [arg.astype(np.uint64) & np.uint64((1 << width) - 1) for arg, width in zip(args, bits, strict=False)]
    if scalar.name in _UNSIGNED:
        return _UNSIGNED[scalar.name](*plain).astype(np.int64)
    predicate = re.search(r"predicate = (\d+)", scalar.properties) if scalar.name == "arith.cmpi" else None
    if predicate is None:
        return None
    one, other = args if int(predicate[1]) <= _LAST_SIGNED else plain
    return _COMPARED[int(predicate[1])](one, other).astype(np.int64)
