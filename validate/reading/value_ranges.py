"""Ranges of positions, and the clamps, comparisons and selections that these ranges make superfluous.

Arithmetic on positions in integers of 32 bits or more is taken not to overflow; see
`raising.validate.reading.index_arithmetic`.
"""

from __future__ import annotations

import operator
from typing import Any

from mlir import ir

from raising.affine.ir.integer_functions import SPANS
from raising.affine.ir.spans import Span
from raising.support.mlir.walk import constant_number, maker, operations
from raising.validate.reading.index_arithmetic import is_wide


def as_positions(module: Any) -> None:
    """Integers that are cast to indices as arithmetic on indices: positions do not wrap."""
    casts = operations(
        module, lambda op: op.name == "arith.index_cast" and isinstance(op.results[0].type, ir.IndexType)
    )
    while casts:
        cast = casts.pop()
        value = cast.operands[0]
        if isinstance(value, ir.BlockArgument) or value.owner.name not in _ARITHMETIC or not is_wide(str(value.type)):
            continue
        index = ir.IndexType.get()
        with ir.InsertionPoint(cast), cast.location:
            given = list(value.owner.operands)
            numbers = [v for v in given if v.type == value.type]
            new = [ir.Operation.create("arith.index_cast", [index], [v]) for v in numbers]
            made = ir.Operation.create(
                value.owner.name, [index], [*given[: len(given) - len(numbers)], *(c.results[0] for c in new)]
            )
        casts += new
        cast.results[0].replace_all_uses_with(made.results[0])


_ARITHMETIC = ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.select")


def drop_clamps(module: Any) -> None:
    """Take out casts to a number and back, and each choice of the larger or smaller that is always the same."""

    for op in operations(module):
        if op.name == "arith.index_cast" and _turns_back(op):
            op.results[0].replace_all_uses_with(op.operands[0].owner.operands[0])
        if op.name in ("arith.maxsi", "arith.minsi"):
            _drop_clamp(op)
        if op.name == "arith.cmpi":
            _decide(op)
        if op.name == "arith.select":
            _drop_choice(op)


def _turns_back(op: Any) -> bool:
    value = op.operands[0]
    inner = maker(value, "arith.index_cast")
    return inner is not None and inner.operands[0].type == op.results[0].type


def _drop_clamp(op: Any) -> None:
    one, other = (_inside(v, op) for v in op.operands)
    if one is None or other is None:
        return
    if op.name == "arith.maxsi":
        one, other = (-one[1], -one[0]), (-other[1], -other[0])
    if one[1] <= other[0]:
        op.results[0].replace_all_uses_with(op.operands[0])
    elif other[1] <= one[0]:
        op.results[0].replace_all_uses_with(op.operands[1])


def _decide(op: Any) -> None:
    """A comparison that is always the same, as a constant."""
    one, other = (_inside(v, op) for v in op.operands)
    predicate = int(ir.IntegerAttr(op.attributes["predicate"]).value)
    if one is None or other is None:
        return
    if predicate > 5 and min(*one, *other) < 0:
        return
    answers = _answers(predicate - 4 if predicate > 5 else predicate, one, other)
    if len(answers) == 1:
        value = {"value": ir.BoolAttr.get(answers.pop())}
        with ir.InsertionPoint(op), op.location:
            made = ir.Operation.create("arith.constant", [op.results[0].type], attributes=value)
        op.results[0].replace_all_uses_with(made.results[0])


def _answers(predicate: int, one: Span, other: Span) -> set[bool]:
    """The results that a signed comparison of numbers in two ranges can have."""
    if predicate > 1:
        test = (operator.lt, operator.le, operator.gt, operator.ge)[predicate - 2]
        return {test(one[0], other[1]), test(one[1], other[0])}
    meet = {predicate == 0} if one[0] <= other[1] and other[0] <= one[1] else set()
    return meet if one == other and one[0] == one[1] else meet | {predicate == 1}


def _drop_choice(op: Any) -> None:
    """A choice by a constant."""
    condition, one, other = op.operands
    made = maker(condition, "arith.constant")
    if made is not None and isinstance(made.attributes["value"], ir.BoolAttr):
        op.results[0].replace_all_uses_with(one if made.attributes["value"].value else other)


def _inside(value: Any, op: Any) -> Span | None:
    """Bounds of a value where an operation is executed: what a loop around it starts from is below its end."""
    found = span(value)
    parent = op.parent
    while found is not None and parent is not None and parent.operation.name != "func.func":
        if parent.operation.name == "scf.for":
            lower, upper = list(parent.operation.operands)[:2]
            first, last = span(lower), span(upper)
            if value == lower and last is not None:
                found = found[0], min(found[1], last[1] - 1)
            elif value == upper and first is not None:
                found = max(found[0], first[0] + 1), found[1]
        parent = parent.operation.parent
    return found


def span(value: Any) -> Span | None:
    """Bounds of an integer that is made of constants and loops' variables; None if there are none to be seen."""
    if isinstance(value, ir.BlockArgument):
        return _of_loop(value)
    op, number = value.owner, constant_number(value)
    if number is not None:
        return number, number
    if not is_wide(str(value.type)):
        return None
    spans = [span(v) for v in list(op.operands)[op.name == "arith.select" :]]
    return SPANS[op.name](*spans) if op.name in SPANS and None not in spans else None


def _of_loop(value: Any) -> Span | None:
    loop = value.owner.owner
    if loop.operation.name != "scf.for" or value.arg_number:
        return None
    lower, upper = (span(v) for v in list(loop.operation.operands)[:2])
    return None if lower is None or upper is None else (lower[0], max(lower[0], upper[1] - 1))
