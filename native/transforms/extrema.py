"""Extrema of integers that are written as choices: one operation each, so that a loop over them is a reduction.

A choice between the two numbers that are compared is the larger or the smaller one, whichever is taken where they are
equal. (Floats are left alone: NaN, and zeros of both signs, are not ordered like this.) An extremum of floats that a
loop carries has the carried one second: LLVM's code for it waits for its first operand three times as long.

    before  %r = arith.select (arith.cmpi sgt, %x, %y : i32), %x, %y : i32
    after   %r = arith.maxsi %x, %y : i32
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.predicates import CMPI, FIRST_UNSIGNED
from raising.support.mlir.walk import maker, named


def write_extrema(module: Any) -> None:
    """Rewrite the choices of a module in place."""
    for op in named(module, "arith.select"):
        name = _extremum(op)
        if name:
            compare, *sides = op.operands
            with op.location:
                made = ir.Operation.create(name, [op.results[0].type], sides, ip=ir.InsertionPoint(op))
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


def _extremum(op: Any) -> str:
    """The operation that a choice is; empty if it is another choice."""
    compare = maker(op.operands[0], "arith.cmpi")
    sides = list(op.operands)[1:]
    if compare is None or sides not in ([*compare.operands], [*compare.operands][::-1]):
        return ""
    number = ir.IntegerAttr(compare.attributes["predicate"]).value
    if CMPI[number] in ("eq", "ne"):
        return ""
    greater = CMPI[number].startswith("g") == (sides == [*compare.operands])
    return f"arith.{'max' if greater else 'min'}{'ui' if number >= FIRST_UNSIGNED else 'si'}"
