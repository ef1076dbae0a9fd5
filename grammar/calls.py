"""Procedures evaluated: their loops run on residues with shadows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from affine.execute import Machine, Memory, shape_at
from grammar import field, number
from grammar.literal import exact
from grammar.number import Num, Point
from grammar.procedure import Procedure
from grammar.sample import POINTS, to_num


def called(procedure: Procedure, arguments: Sequence[Num]) -> Num:
    """What a procedure makes of its arguments; an element that it does not set is a value of its own."""
    program = procedure.program
    sizes = procedure.sizes([a.res.shape for a in arguments])
    memory: dict[str, Memory[Point]] = {}
    for name, value in zip(procedure.arguments, arguments, strict=True):
        points = [Point(int(r), float(f)) for r, f in zip(value.res.flat, value.flt.flat, strict=True)]
        memory[name] = Memory(value.res.shape, points)
    for name in program.arrays.keys() - memory.keys():
        shape = shape_at(program, name, sizes)
        marks = np.arange(math.prod(shape), dtype=np.uint64)
        residues = field.opaque(f"unset {procedure.symbol}", (marks,))
        memory[name] = Memory(shape, [Point(int(r), math.nan) for r in residues])
    literals = {s.name: number.point(exact(s.literal)) for s in program.scalars.values() if s.literal is not None}
    Machine(POINTS, sizes, memory, literals).run(program.body)
    result = memory[procedure.result]
    return to_num(result.data, result.shape)
