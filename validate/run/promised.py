"""Results of operations of the source that break what their flags promise: these have no value.

`arith.muli` with `nsw` of two numbers whose product overflows may give anything, so that no input shows a difference by
it. What flags say of floats is kept by all real numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raising.affine.ir.integer_functions import DIVISIONS, INTEGERS
from raising.affine.ir.integer_types import signed, unsigned
from raising.affine.ir.interpreter import Arithmetic
from raising.affine.ir.program import Compute
from raising.validate.arithmetic.concrete import POISON
from raising.validate.reading.memory_use import Promise

_NO_SIGN = "nneg"


def keeping(arithmetic: Arithmetic[Any], promises: Sequence[Promise], elements: Mapping[str, str]) -> Arithmetic[Any]:
    """The arithmetic, in which an operation that breaks a promise of its own has no value."""
    flags = {(told.op, told.where): told.flag for told in promises if not told.flag.startswith("fastmath")}

    def compute(node: Compute, args: Sequence[Any]) -> Any:
        result, flag = arithmetic.compute(node, args), flags.get((node.op, node.loc))
        if flag is None or result is POISON or any(a is POISON for a in args):
            return result
        return result if _is_kept(flag, node, args, [elements[a] for a in node.args], result) else POISON

    return Arithmetic(compute, arithmetic.literal) if flags else arithmetic


def _is_kept(flag: str, node: Compute, args: Sequence[Any], elements: Sequence[str], result: Any) -> bool:
    if flag == _NO_SIGN:
        return bool(signed(args[0], elements[0]) >= 0)
    if flag == "exact":
        return _is_whole(node, args, result)
    reads = [read for name, read in (("nsw", signed), ("nuw", unsigned)) if name in flag]
    return all(
        _exact(node.op, [read(*a) for a in zip(args, elements, strict=True)]) == read(result, node.element)
        for read in reads
    )


def _exact(op: str, numbers: Sequence[int]) -> Any:
    """The result without a width: of a cast to fewer bits the number itself."""
    return numbers[0] if len(numbers) == 1 else INTEGERS[op].exact(*numbers)


def _is_whole(node: Compute, args: Sequence[Any], result: Any) -> bool:
    """Whether a quotient or a shift to the right loses nothing."""
    by = args[1] if node.op in DIVISIONS else 1 << unsigned(args[1], node.element)
    return unsigned(result * by, node.element) == unsigned(args[0], node.element)
