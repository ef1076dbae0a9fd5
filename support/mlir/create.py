"""Operations of MLIR from their parts."""

from __future__ import annotations

import importlib
from contextlib import suppress
from functools import lru_cache
from typing import Any

from raising.support.mlir.operand_segments import segmented
from raising.support.record import dataclass

MADE = "made by a rule"
"""The name of the locations of operations that were not there before."""

_OWN_BODY = frozenset({"linalg.generic", "linalg.map", "linalg.reduce"})


@dataclass(frozen=True)
class Shape:
    """What a constructor means: an operation name, the names of its attributes, and what is implied.

    `segments` is the text of the operand segments; empty if there are none.
    """

    operation: str
    operands: int
    attributes: tuple[str, ...]
    regions: int
    types: int
    segments: str = ""


@dataclass(frozen=True)
class InsertPoint:
    """Where operations are made: an insertion point of MLIR, and the location that they get."""

    point: Any
    location: Any


def chosen_elements(ir: Any, condition: Any, yes: Any, no: Any, into: Any) -> Any:
    """One of two tensors, element by element, written over a third one."""
    kind = ir.RankedTensorType(into.type)
    same = ir.AffineMapAttr.get(ir.AffineMap.get_identity(kind.rank))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([same] * 3),
        "iterator_types": ir.ArrayAttr.get([parallel] * kind.rank),
        **segmented(ir, 2, 1),
    }
    made = ir.Operation.create("linalg.generic", [kind], [yes, no, into], attributes, regions=1)
    block = made.regions[0].blocks.append(*[kind.element_type] * 3)
    with ir.InsertionPoint(block):
        sides = list(block.arguments)[:2]
        value = ir.Operation.create("arith.select", [kind.element_type], [condition, *sides]).results[0]
        ir.Operation.create("linalg.yield", operands=[value])
    return made.results[0]


def create(
    ir: Any, shape: Shape, operands: list[Any], attributes: dict[str, Any], types: list[Any], at: InsertPoint
) -> Any:
    """An operation whose regions follow from its name. None if MLIR refuses it."""
    body = _body_follows(ir, shape.operation)
    try:
        op = ir.Operation.create(
            shape.operation, types, operands, attributes, regions=int(body), ip=at.point, loc=at.location
        )
    except (ir.MLIRError, ValueError, TypeError):
        return None
    try:
        if body:
            importlib.import_module(f"{ir.__package__}._mlir_libs._mlirDialectsLinalg").fill_builtin_region(op)
        op.verify()
    except (ir.MLIRError, ValueError, RuntimeError):
        op.erase()
        return None
    return op


def _body_follows(ir: Any, name: str) -> bool:
    """True if the one region of an operation follows from its name, as it does for named structured operations."""
    view = op_view(ir, name) if name.startswith("linalg.") and name not in _OWN_BODY else None
    return view is not None and view._ODS_REGIONS[0] == 1


def op_view(ir: Any, name: str) -> Any:
    """The generated class of an operation, or None if the bindings have none."""
    return _op_views(ir.__package__, name.split(".")[0]).get(name)


@lru_cache
def _op_views(package: str, dialect: str) -> dict[str, Any]:
    for name in (f"_{dialect}_ops_gen", dialect):  # what is written by hand beside them takes longer to import
        with suppress(ImportError):
            module = importlib.import_module(f"{package}.dialects.{name}")
            break
    else:
        return {}
    return {c.OPERATION_NAME: c for c in vars(module).values() if hasattr(c, "OPERATION_NAME")}
