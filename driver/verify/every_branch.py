"""Reading for accesses only: what depends on data counts as executed, so that a program has all accesses it may do."""

from __future__ import annotations

from typing import Any

from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.loop_nest import NestReader
from raising.frontend.mlir.ops import read_op
from raising.support.mlir.walk import blocks_of

_MAY_RUN = ("scf.if", "scf.while", "scf.for", "affine.for", "scf.execute_region", "scf.index_switch")
_ENDS = (".yield", ".condition")


def read_every_branch(reader: NestReader, op: Any) -> None:
    """Read an operation into a reader; of a loop or a branch that depends on data, everything that is inside of it.

    A value that such an operation carries is not known. `Refusal` where a subscript depends on one.
    """
    depth = reader.depth
    try:
        read_op(reader, op)
    except Refusal:
        if op.name not in _MAY_RUN:
            raise
        reader.depth = depth
        for value in (*[argument for block in blocks_of(op) for argument in block.arguments], *op.results):
            _make_unknown(reader, value, op)
        for inner in (inner.operation for block in blocks_of(op) for inner in block.operations):
            if not inner.name.endswith(_ENDS):
                read_every_branch(reader, inner)


def _make_unknown(reader: NestReader, value: Any, op: Any) -> None:
    """A number is what a memory of its own holds; a position has no form, and is refused where it is used."""
    reader.index.pop(value, None)
    if str(value.type) != "index":
        reader.data[value] = reader.load(reader.carried(str(value.type), op), (), location(op))
