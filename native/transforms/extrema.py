"""Extrema that are written as choices: one operation each, so that a loop over them is a reduction or a scan.

A choice between the two numbers that are compared is the larger or the smaller one, whichever is taken where they are
equal. (Floats only where no NaN and no sign of a zero has to be told apart: they are not ordered like this.) An
extremum of floats that a loop carries has the carried one second: LLVM's code for it waits for its first operand three
times as long.

    before  %r = arith.select (arith.cmpi sgt, %x, %y : i32), %x, %y : i32
    after   %r = arith.maxsi %x, %y : i32
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.predicates import CMPF, CMPI, FIRST_UNSIGNED
from raising.support.mlir.walk import named


def write_extrema(module: Any, fp: str = "") -> None:
    """Rewrite the choices of a module in place; floats are as `CompileOptions.fp` and their own flags say."""
    for op in named(module, "arith.select"):
        name = _extremum(op, fp == "fast")
        if name:
            compare, *sides = op.operands
            with op.location:
                flags = {"fastmath": op.attributes["fastmath"]} if "fastmath" in op.attributes else {}
                made = ir.Operation.create(name, [op.results[0].type], sides, flags, ip=ir.InsertionPoint(op))
            op.results[0].replace_all_uses_with(made.results[0])
            op.erase()
            if next(iter(compare.uses), None) is None:
                compare.owner.erase()
    for op in named(module, "arith.maximumf", "arith.minimumf"):
        first, second = op.operands
        if _is_carried(first) and not _is_carried(second):
            op.operands[0], op.operands[1] = second, first


def _is_carried(value: Any) -> bool:
    """Whether a loop carries a value from one iteration to the next."""
    return isinstance(value.owner, ir.Block) and value.owner.owner.operation.name == "scf.for" and value.arg_number > 0


def _extremum(op: Any, fast: bool) -> str:
    """The operation that a choice is; empty if it is another choice.

    C compares what it has widened, in one way: as the numbers themselves compare with or without their sign.
    """
    compare, sides = op.operands[0].owner, list(op.operands)[1:]
    if getattr(compare, "name", "") not in ("arith.cmpi", "arith.cmpf"):
        return ""
    widened, compared = _widened(compare)
    if sides not in (compared, compared[::-1]):
        return ""
    number = ir.IntegerAttr(compare.attributes["predicate"]).value
    floats = compare.name == "arith.cmpf"
    order = (CMPF if floats else CMPI)[number]
    if order not in ("gt", "ge", "lt", "le") or (floats and not fast and not (_numbers(op) and _numbers(compare))):
        return ""
    greater, unsigned = order.startswith("g") == (sides == compared), widened == "arith.extui"
    kind = "imumf" if floats else "ui" if number >= FIRST_UNSIGNED or unsigned else "si"
    return f"arith.{'max' if greater else 'min'}{kind}"


def _widened(compare: Any) -> tuple[str, list[Any]]:
    """The operation that widens both numbers which are compared, and the numbers before that; none where it varies."""
    made = [getattr(operand.owner, "name", "") for operand in compare.operands]
    if made[0] != made[1] or made[0] not in ("arith.extsi", "arith.extui"):
        return "", [*compare.operands]
    narrow = [operand.owner.operands[0] for operand in compare.operands]
    unsigned = ir.IntegerAttr(compare.attributes["predicate"]).value >= FIRST_UNSIGNED
    if narrow[0].type != narrow[1].type or (made[0] == "arith.extsi" and unsigned):
        return "", [*compare.operands]
    return made[0], narrow


def _numbers(op: Any) -> bool:
    """Whether an operation takes no operand for NaN, and gives zeros no sign."""
    flags = str(op.attributes["fastmath"]) if "fastmath" in op.attributes else ""
    return "nnan" in flags and "nsz" in flags
