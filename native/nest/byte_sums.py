"""Sums of bytes and of absolute differences of bytes: x86-64 has one instruction that adds eight of them.

What a nest adds is looked at by its values for every pair of bytes, however it is written. The instruction adds to
lanes of 64 bits; what is kept of their sum, its lowest bits, is what sums that wrap around give.

    before  %s = arith.addi %old, (math.absi (arith.subi (arith.extui %a), (arith.extui %b)))
    after   %s = arith.addi %old, (llvm.call_intrinsic "llvm.x86.avx2.psad.bw"(%a, %b))
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Nest, Scalar

BYTE = 8
_SUM = 64
_INSTRUCTIONS = {128: "llvm.x86.sse2.psad.bw", 256: "llvm.x86.avx2.psad.bw", 512: "llvm.x86.avx512.psad.bw.512"}
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


def summed_bytes(nest: Nest) -> tuple[str, ...]:
    """The read whose bytes without sign a nest adds up, or the two whose absolute differences; else none."""
    write, result = nest.writes[0], nest.yields[0]
    if len(nest.writes) != 1 or write.array.element not in ("i32", "i64") or write not in nest.reads:
        return ()
    own, last = f"in{nest.reads.index(write)}", nest.body[int(result[1:])] if result[0] == "v" else None
    if last is None or last.name != "arith.addi" or last.args.count(own) != 1:
        return ()
    (term,) = (arg for arg in last.args if arg != own)
    leaves = _leaves(nest, term)
    if not 1 <= len(leaves) <= 2 or not all(_is_byte(nest, name) for name in leaves):
        return ()
    every = np.arange(1 << BYTE, dtype=np.int64)
    pairs = [every[:, None] + 0 * every, every + 0 * every[:, None]]
    given = {name: _signed(values, BYTE) for name, values in zip(leaves, pairs, strict=False)}
    wanted = pairs[0] if len(leaves) == 1 else np.abs(pairs[0] - pairs[1])
    found = _value(nest, term, given)
    return tuple(leaves) if found is not None and np.array_equal(found, wanted) else ()


def _leaves(nest: Nest, name: str) -> list[str]:
    """What a value is made of: reads, and scalars from around the nest."""
    if name[0] != "v":
        return [name]
    return sorted({leaf for arg in nest.body[int(name[1:])].args for leaf in _leaves(nest, arg)})


def _is_byte(nest: Nest, name: str) -> bool:
    return name.startswith("in") and nest.reads[int(name[2:])].array.element == "i8"


def _signed(values: Any, bits: int) -> Any:
    """The lowest bits of some integers, as numbers with a sign."""
    if bits == _SUM:
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
    if len(bits) < len(widths) or max(bits) > _SUM or any(arg is None for arg in args):
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


def sums_type(lanes: int) -> str:
    """The sums of a vector of so many bytes, by eights."""
    return f"vector<{lanes * BYTE // _SUM}xi64>"


def add_bytes(code: Lines, old: str, values: Sequence[str], lanes: int, mask: str | None) -> str:
    """`old` and the sums of a vector of bytes, or of the absolute differences of two; nothing beyond the mask."""
    kind, sums = f"vector<{lanes}xi8>", sums_type(lanes)
    zero = code.op(f"arith.constant dense<0> : {kind}")
    if mask is not None:
        values = [code.op(f"arith.select {mask}, {each}, {zero} : vector<{lanes}xi1>, {kind}") for each in values]
    instruction, operands = _INSTRUCTIONS[lanes * BYTE], ", ".join((*values, zero)[:2])
    found = code.op(f'llvm.call_intrinsic "{instruction}"({operands}) : ({kind}, {kind}) -> {sums}')
    return code.op(f"arith.addi {old}, {found} : {sums}")


def total_of_bytes(code: Lines, sums: str, lanes: int, element: str) -> str:
    """All sums in one number, modulo what its type holds."""
    total = code.op(f"vector.reduction <add>, {sums} : {sums_type(lanes)} into i64")
    return total if element == "i64" else code.op(f"arith.trunci {total} : i64 to {element}")
