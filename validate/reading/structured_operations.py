"""The preconditions of structured operations: parallel iterations, and operands with equal extents.

The passes that make loops of a function forget both, so they are read from the function as it was written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir

from raising.frontend.mlir.attributes import Refusal, location
from raising.support.mlir.operand_segments import input_count, mixed
from raising.support.mlir.walk import iterator_kinds, operations
from raising.validate.base.assumption import Assumption

_SAME_EXTENTS = ("memref.cast", "tensor.cast", "bufferization.to_tensor")


def check_iterators(module: Any) -> None:
    """`Refusal` if an operation of linalg stores to one element in several iterations that it says are parallel."""
    for op in _generic(module):
        kinds = iterator_kinds(op)
        for dims in _maps(op)[input_count(op) :]:
            if any(kind == "parallel" and k not in dims for k, kind in enumerate(kinds)):
                raise Refusal(location(op), "parallel iterations of linalg meet in an element, and their order is open")


def tied_extents(module: Any) -> tuple[Assumption, ...]:
    """The assumptions that operands which one loop of linalg (or a copy) runs over have equal extents there."""
    found: list[Assumption] = []
    extents = _Extents(module)
    for op in _generic(module):
        for loop in range(len(iterator_kinds(op))):
            places = [(v, m.index(loop)) for v, m in zip(op.operands, _maps(op), strict=True) if loop in m]
            found += _ties(op, [extents.text(value, dim) for value, dim in places])
    for op in operations(module, lambda op: op.name == "memref.copy"):
        for dim in range(op.operands[0].type.rank):
            found += _ties(op, [extents.text(value, dim) for value in op.operands])
    return tuple(dict.fromkeys(found))


def _generic(module: Any) -> list[Any]:
    return operations(module, lambda op: op.name == "linalg.generic")


def _maps(op: Any) -> list[list[int | None]]:
    """For each operand the loop that runs over each of its dimensions; None where it is no single one."""
    maps = [ir.AffineMapAttr(attribute).value for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
    return [
        [ir.AffineDimExpr(e).position if isinstance(e, ir.AffineDimExpr) else None for e in m.results] for m in maps
    ]


def _ties(op: Any, extents: list[str]) -> list[Assumption]:
    """The conditions under which extents are equal that an operation needs to be equal."""
    known = list(dict.fromkeys(e for e in extents if e))
    return [Assumption("extent", f"{known[0]} = {other}", location(op)) for other in known[1:]]


class _Extents:
    """Extents of values as extents of arguments or numbers, through operations that say them; else unknown."""

    def __init__(self, module: Any) -> None:
        # Found by a walk: to ask a value for its owner imports MLIR's module for that dialect, a tenth of a second.
        makers = operations(module, lambda op: op.name in _SAME_EXTENTS or op.name in _SAYS_EXTENTS)
        self.made_by = {result: op for op in makers for result in op.results}

    def text(self, value: Any, dim: int) -> str:
        """The extent, as `a0_1` or a number; empty if it is not known."""
        if not isinstance(value.type, ir.MemRefType | ir.RankedTensorType):
            return ""
        if not value.type.is_dynamic_dim(dim):
            return str(value.type.shape[dim])
        op = self.made_by.get(value)
        if op is not None and op.name in _SAME_EXTENTS:
            return self.text(op.operands[0], dim)
        if op is not None:
            return _SAYS_EXTENTS[op.name](self, op, value, dim)
        if isinstance(value, ir.BlockArgument) and value.owner.owner.operation.name == "func.func":
            return f"a{value.arg_number}_{dim}"
        return ""

    def asked(self, value: Any) -> str:
        """An integer that `dim` gives of a value, or a constant."""
        op = self.made_by.get(value)
        if op is None:
            return ""
        if op.name == "arith.constant":
            return str(ir.IntegerAttr(op.attributes["value"]).value) if isinstance(value.type, ir.IndexType) else ""
        number = self.asked(op.operands[1]) if op.name in ("tensor.dim", "memref.dim") else ""
        return self.text(op.operands[0], int(number)) if number else ""

    def made(self, op: Any, value: Any, dim: int) -> str:
        """The extent of a new tensor or memory: the size operand."""
        dynamic = [d for d in range(value.type.rank) if value.type.is_dynamic_dim(d)]
        return self.asked(op.operands[dynamic.index(dim)])

    def sliced(self, op: Any, value: Any, dim: int) -> str:
        """The extent of a slice: its size operand; dimensions of size 1 may be dropped."""
        sizes = mixed(op, "sizes")
        kept = range(len(sizes)) if len(sizes) == value.type.rank else [k for k, n in enumerate(sizes) if n != 1]
        if len(kept) != value.type.rank:
            return ""
        return self.asked(sizes[kept[dim]])

    def written(self, op: Any, value: Any, dim: int) -> str:
        """The extent of a result: that of the operand that it is written over."""
        return self.text(op.operands[input_count(op) + list(op.results).index(value)], dim)

    def inserted(self, op: Any, value: Any, dim: int) -> str:
        """The extent after an insertion: that of the array that it goes into."""
        return self.text(op.operands[1], dim)

    def unsaid(self, op: Any, value: Any, dim: int) -> str:
        """Operations that say integers, not extents of their results."""
        return ""


_SAYS_EXTENTS: dict[str, Callable[[_Extents, Any, Any, int], str]] = {
    "tensor.empty": _Extents.made,
    "memref.alloc": _Extents.made,
    "tensor.extract_slice": _Extents.sliced,
    "tensor.insert_slice": _Extents.inserted,
    "tensor.insert": _Extents.inserted,
    "linalg.generic": _Extents.written,
    **dict.fromkeys(("tensor.dim", "memref.dim", "arith.constant"), _Extents.unsaid),
}
