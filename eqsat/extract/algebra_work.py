"""The work of operations of the tensor algebra, counted from the shapes that are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import Tables
from raising.eqsat.extract.op_work import BYTES, HALF, OPERATIONS, REDUCED, Amount, Work
from raising.eqsat.ruleset.algebra import FLOAT, INT, Shape, operation, scalar_name, summing
from raising.eqsat.ruleset.to_egglog import (
    BILINEAR,
    DIAGONAL,
    DIAGONAL_MATRIX,
    INTEGER,
    NEGATIVE_ZERO,
    PAD,
    PICK,
    RESHAPE,
    SPREAD,
    TRANSPOSE,
)
from raising.eqsat.ruleset.to_egglog import FLOAT as FLOAT_LITERAL

_FREE = frozenset({SPREAD, FLOAT_LITERAL, INTEGER, NEGATIVE_ZERO})
_PARTS = ("t.rows", "t.cols", "t.batch")
_BYTES = 8.0  # of one element


class Shapes:
    """The shapes of the algebra's arrays in the tables of an e-graph."""

    def __init__(self, tables: Tables, sizes: Callable[[Sequence[int]], Shape]) -> None:
        self.sizes = sizes
        self.parts: dict[str, dict[int, Any]] = {name: {} for name in _PARTS}
        for row in tables.rows:
            if row.name in self.parts:
                self.parts[row.name][row.inputs[0].number] = row.output

    def __call__(self, klass: int) -> Shape | None:
        """The shape of a class; None if it is not known."""
        rows, cols, batch = (self.parts[name].get(klass) for name in _PARTS)
        return None if rows is None or cols is None or batch is None else self.sizes((*batch, rows, cols))


def work_of(row: Row, shapes: Shapes) -> Work:
    """The work of one operation of the algebra; that of unknown shapes cannot be lowered."""
    operands = [shapes(r.number) for r in row.inputs if isinstance(r, Ref) and r.sort == row.output.sort]
    result = shapes(row.output.number)
    if result is None or any(s is None for s in operands):
        return Work(lowered=False)
    known = [s for s in operands if s is not None]
    if row.name in _FREE:
        return Work()
    if row.name in (DIAGONAL_MATRIX, DIAGONAL, BILINEAR):  # are operations of the program, or become something else
        return Work(lowered=False)
    if row.name == RESHAPE:
        return Work(lowered=[n for n in known[0] if n != 1] == [n for n in result if n != 1])
    if row.name == PICK:
        return Work((Amount(BYTES, _BYTES, result), Amount(OPERATIONS, 1.0)))
    if row.name == PAD:
        return Work((Amount(BYTES, 2 * _BYTES, result), Amount(OPERATIONS, 1.0)))
    if row.name == TRANSPOSE:  # mostly, what reads it reads it so
        return Work() if 1 in result[-2:] else Work((Amount(BYTES, _BYTES, result),))
    name = row.name.removeprefix("t.")
    amounts = _summed(name, known, result) if summing(name) else (Amount(scalar_name(name), 1.0, result),)
    if not summing(name) and math.prod(result) == 1:
        return Work(amounts)
    moved = sum(math.prod(s) for s in known) + (3 if summing(name) else 1) * math.prod(result)  # a sum needs a start
    moved -= 2 * math.prod(result) if summing(name) == "mma" else 0
    several = 2.0 if summing(name) not in ("", "mma") else 1.0
    return Work((*amounts, Amount(BYTES, _BYTES * moved), Amount(OPERATIONS, several)))


def returned_work(shape: Shape, spread: bool) -> Work:
    """The work of making a tensor of the program, of some shape, from an array of the algebra.

    One that is repeated (`spread`) has to be there as often; extents of one have to be put back.
    """
    size = math.prod(shape)
    if size == 1:
        return Work()
    amounts = [Amount(BYTES, _BYTES, shape), Amount(OPERATIONS, 1.0)] if spread else []
    amounts += [Amount(BYTES, 2 * _BYTES, shape), Amount(OPERATIONS, 1.0)] if 1 in shape else []
    return Work(tuple(amounts))


def _summed(name: str, operands: list[Shape], result: Shape) -> tuple[Amount, ...]:
    kind = FLOAT if name.endswith("f") else INT
    add, mul = (REDUCED + operation(op, kind).scalar for op in ("add", "mul"))
    if summing(name) == "rowmax":
        return (Amount(REDUCED + operation("max", kind).scalar, 1.0, operands[0]),)
    if summing(name) in ("rowsum", "colsum"):
        return (Amount(add, 1.0, operands[0]),)
    if summing(name) == "syrk":  # a batch is computed whole
        share = HALF if math.prod(result[:-2]) == 1 else 1.0
        return tuple(Amount(op, share, (*result, operands[0][-1])) for op in (mul, add))
    points = (*result, operands[-1][-2])
    return (Amount(mul, 1.0, points), Amount(add, 1.0, points))
