"""Extents that are not known when compiling, as values: one value for all arrays of a function with the same extent.

A function that was raised from C has the extents of its arrays as expressions over its integer parameters
(`raising.native.base.signature`), from which its entry computes them: `double A[n][n]` and `double C[n][n]` have one
extent. In any other function each open extent is a value of its own.

    before  %t = tensor.empty(%n) : tensor<?xf32>
            %p = tensor.extract_slice %t[0] [%n] [1]
    after   %t, in place of %p
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine
from raising.native.base.read_signature import signature_of
from raising.native.base.signature import DIVIDING, INTEGERS, UNBOUNDED, Parameter, evaluate
from raising.native.bufferize.destination_passing import SUFFIX
from raising.native.nest.read_views import Reader
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.operand_segments import BOX, DYNAMIC, mixed
from raising.support.mlir.walk import operations
from raising.support.record import dataclass

Extents = dict[ir.Value, tuple[ir.Value | None, ...]]
"""For arrays among a function's parameters: an index value for each extent, None for one that is in the type."""

_OPERATIONS = {"add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "sdiv": "arith.divsi",
               "srem": "arith.remsi"}  # fmt: skip


def name_extents(function: Any) -> Extents:
    """Begin a function with the open extents of its parameters; negative ones, which have no elements, are 0."""
    name = ir.StringAttr(function.attributes["sym_name"]).value
    if not function.regions[0].blocks or not name.endswith(SUFFIX):
        return {}
    block = function.regions[0].blocks[0]
    arrays = [each for each in block.arguments if isinstance(each.type, ir.MemRefType)]
    opened = [each for each in arrays if not each.type.has_static_shape]
    if not opened:
        return {}
    given = dict(zip(block.arguments, signature_of(function).memory, strict=True))
    begin = _Beginning(OpWriter(ir, ir.InsertionPoint.at_block_begin(block)), given)
    return {each: begin.extents(each) for each in opened}


@dataclass
class _Beginning:
    """Writes what computes extents from parameters, each once."""

    write: OpWriter
    parameters: Mapping[ir.Value, Parameter]
    _texts: dict[str, Any] = field(default_factory=dict)
    _names: dict[str, Any] = field(default_factory=dict)

    def extents(self, array: ir.Value) -> tuple[ir.Value | None, ...]:
        """The open extents of a parameter."""
        shape = self.parameters[array].shape or ()
        pairs = enumerate(zip(array.type.shape, shape, strict=True))
        return tuple(None if size != DYNAMIC else self._extent(array, axis, text) for axis, (size, text) in pairs)

    def _extent(self, array: ir.Value, axis: int, text: Any) -> ir.Value:
        if text is None or text == UNBOUNDED:
            return self._make("memref.dim", array, self.write.index(axis))
        if text not in self._texts:
            made = evaluate(text, self._integers(), self.write.index, self._combine)
            self._texts[text] = self._make("arith.maxsi", made, self.write.index(0))
        return self._texts[text]

    def _integers(self) -> dict[str, ir.Value]:
        """The integer parameters as index values."""
        if not self._names:
            for value, parameter in self.parameters.items():
                if parameter.shape is None and parameter.element in INTEGERS:
                    cast = "arith.index_castui" if parameter.unsigned else "arith.index_cast"
                    self._names[parameter.name] = value if parameter.element == "index" else self._make(cast, value)
        return self._names

    def _combine(self, name: str, left: ir.Value, right: ir.Value) -> ir.Value:
        if name in DIVIDING:
            right = self._make("arith.maxui", right, self.write.index(1))
        return self._make(_OPERATIONS[name], left, right)

    def _make(self, name: str, *operands: ir.Value) -> ir.Value:
        return self.write.op(name, [ir.IndexType.get()], operands)[0]


def without_whole_slices(module: Any) -> bool:
    """Leave out slices that are all of a tensor, and insertions that replace all of one; whether there are any."""
    changed = False
    for view in module.body.operations:
        if view.operation.name == "func.func":
            found = operations(view.operation, lambda op: op.name in ("tensor.extract_slice", "tensor.insert_slice"))
            if any(not _tensor_of(op).type.has_static_shape for op in found):
                shapes = _Shapes(Reader(extents=name_extents(view.operation)))
                changed |= any([shapes.left_out(op) for op in found])
    return changed


def _tensor_of(op: Any) -> Any:
    """The tensor that a slice is taken from or put into."""
    return op.operands[0 if op.name == "tensor.extract_slice" else 1]


@dataclass
class _Shapes:
    """The extents of tensors, as far as they are known to be equal to others."""

    reader: Reader

    def left_out(self, op: Any) -> bool:
        """Leave out a slice, if it is whole."""
        tensor = _tensor_of(op)
        part = op.results[0] if op.name == "tensor.extract_slice" else op.operands[0]
        offsets, sizes, steps = (self._mixed(op, name) for name in BOX)
        if tensor.type != part.type or set(offsets) - {Affine(0)} or set(steps) - {Affine(1)}:
            return False
        if self._extents(tensor) != sizes:
            return False
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()
        return True

    def _mixed(self, op: Any, name: str) -> list[Affine]:
        return [Affine(n) if isinstance(n, int) else self.reader.index(n) for n in mixed(op, name)]

    def _extents(self, tensor: ir.Value) -> Sequence[Affine] | None:
        """The extents of a tensor; None if they are not known."""
        if tensor.type.has_static_shape:
            return [Affine(size) for size in tensor.type.shape]
        if isinstance(tensor.owner, ir.Block):
            return None
        op = tensor.owner.operation
        if op.name == "bufferization.to_tensor":
            return list(self.reader.view(op.operands[0]).sizes)
        if op.name == "tensor.empty":
            given = iter(op.operands)
            return [self.reader.index(next(given)) if size == DYNAMIC else Affine(size) for size in tensor.type.shape]
        if op.name == "tensor.extract_slice":
            sizes = self._mixed(op, "sizes")
            return sizes if len(sizes) == tensor.type.rank else None
        if op.name == "tensor.insert_slice":
            return self._extents(op.operands[1])
        if op.name.startswith("linalg."):
            return self._extents(op.operands[len(op.operands) - len(op.results) + tensor.result_number])
        return None
