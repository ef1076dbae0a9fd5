"""Procedures: operations of a target that are recurrences, each with the loops that it stands for.

A factorisation or a triangular solve has no scalar body. It computes a program, so it is evaluated by running that
program, and loops that compute the same are this operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Program
from raising.support.record import dataclass


@dataclass(frozen=True, repr=False)
class Procedure:
    """An operation with its `attributes` as MLIR text.

    `program` leaves in the array `result` what the operation makes of the arrays `arguments`; elements that it
    does not write may be anything. `dims` names the extents of the arguments and then of the result: equal names
    are equal extents. Arguments whose positions are in `symmetric` have to be symmetric matrices; `assumes` says
    what else is taken for granted. `symbol` is the name of the definition.
    """

    symbol: str
    operation: str
    attributes: tuple[tuple[str, str], ...]
    program: Program
    arguments: tuple[str, ...]
    result: str
    dims: tuple[tuple[str, ...], ...]
    symmetric: frozenset[int]
    assumes: str
    element: str

    def __repr__(self) -> str:
        return f"Procedure({self.symbol}, {self.program.body!r})"

    def __hash__(self) -> int:
        return hash((self.symbol, self.attributes))

    def extents(self, operands: Sequence[tuple[Lin, ...]]) -> tuple[Lin, ...] | None:
        """The extents of the result for operands of these; None if they do not fit together."""
        known: dict[str, Lin] = {}
        for names, given in zip(self.dims[:-1], operands, strict=True):
            if len(names) != len(given) or any(known.setdefault(n, e) != e for n, e in zip(names, given, strict=True)):
                return None
        return tuple(known[n] for n in self.dims[-1])

    def sizes(self, shapes: Sequence[tuple[int, ...]]) -> Mapping[str, int]:
        """The numbers that the program's sizes stand for, with arguments of these shapes."""
        found: dict[str, int] = {}
        for name, shape in zip(self.arguments, shapes, strict=True):
            for form, extent in zip(self.program.arrays[name].shape, shape, strict=True):
                found |= {size: extent for size in form.names() if form == var(size)}
        return found
