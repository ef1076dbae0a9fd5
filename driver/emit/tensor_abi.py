"""A raised function on memory as a pure function on tensors.

Each memref argument becomes a tensor. What the function returns is the final
contents of each array it writes, in the order of the arguments, and then what
it returned before. The body is in order already: a read of an array is the
value that was last written to it.

    before  func.func @f(%A: memref<8xf32>, %x: f32) {
              bufferization.materialize_in_destination %r in restrict writable %A
    after   func.func @f(%A: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
              return %r
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlir import ir
from mlir.dialects import affine, arith, func, tensor

from raising.affine.ir.program import Store, walk
from raising.emit.cleanup import ALLOCATIONS
from raising.frontend.mlir.attributes import location
from raising.frontend.mlir.reader import Function
from raising.support.mlir.walk import operations

_READ, _WRITE = "bufferization.to_tensor", "bufferization.materialize_in_destination"
_LOADS, _STORES = ("memref.load", "affine.load"), ("memref.store", "affine.store")
_UNDERSTOOD = (_READ, _WRITE, *_LOADS, *_STORES, *ALLOCATIONS, "memref.dealloc", "memref.dim", "func.return")


def written_arguments(function: Function) -> tuple[int, ...]:
    """The numbers of the memref arguments that a function stores to, in loops or outside of them."""
    stored = {n.array for item in function.items for n in walk(item.nodes) if isinstance(n, Store)}
    values = [function.reader.values[a] for a in stored if a in function.reader.values]
    values += [op.operands[1] for op in function.operations() if op.name in _STORES]
    return tuple(sorted({v.arg_number for v in values if isinstance(v, ir.BlockArgument)}))


def to_tensors(operation: Any, written: Iterable[int], called: bool) -> str:
    """Rewrite a raised function from memrefs to tensors; if that cannot be, leave it and say why."""
    if called:
        return "it is called in this module, with memrefs"
    obstacle = _obstacle(operation)
    if not obstacle:
        _Conversion(operation).run(tuple(written))
    return obstacle


def called_functions(module: Any) -> set[str]:
    """The names of functions that some operation of the module refers to."""
    found: set[str] = set()

    for op in operations(module):
        for name in op.attributes:
            key = name if isinstance(name, str) else name.name
            value = op.attributes[key]
            if isinstance(value, ir.FlatSymbolRefAttr):
                found.add(ir.FlatSymbolRefAttr(value).value)
    return found


# ---- what stands against it ----------------------------------------------------------------------


def _obstacle(operation: Any) -> str:
    block = operation.regions[0].blocks[0]
    for kind in (v.type for op in block.operations for v in [*op.operands, *op.operation.results]):
        if _is_memory(kind) and _tensor_type(kind) is None:
            return f"the type {kind} has no tensor type"
    for argument in block.arguments:
        if _is_memory(argument.type) and _tensor_type(argument.type) is None:
            return f"the type {argument.type} has no tensor type"
    for op in block.operations:
        culprit = _works_on_memory(op.operation)
        if culprit is not None:
            inside = "" if culprit == op.operation else f" (with '{culprit.name}' inside)"
            return f"'{op.operation.name}' at {location(op.operation)} works on memory{inside}"
    return ""


def _works_on_memory(op: Any) -> Any:
    """The first operation, inside `op` or `op` itself, that uses a memref in a way that is not understood."""
    for inner in operations(op, outer_first=True):
        memory = any(_is_memory(v.type) for v in [*inner.operands, *inner.results])
        if memory and (inner.name not in _UNDERSTOOD or inner != op):
            return inner
    return None


def _is_memory(kind: Any) -> bool:
    return isinstance(kind, ir.MemRefType | ir.UnrankedMemRefType)


def _tensor_type(kind: Any) -> Any:
    if not isinstance(kind, ir.MemRefType):
        return None
    try:
        return ir.RankedTensorType.get(kind.shape, kind.element_type)
    except (ir.MLIRError, ValueError):
        return None


# ---- the rewriting -------------------------------------------------------------------------------


class _Conversion:
    """Follows the block and keeps, for each memory, the tensor that it holds."""

    def __init__(self, operation: Any) -> None:
        self.operation = operation
        self.block = operation.regions[0].blocks[0]
        self.held: dict[Any, Any] = {}
        self.kinds = {a: a.type for a in self.block.arguments if _is_memory(a.type)}

    def run(self, written: tuple[int, ...]) -> None:
        """Rewrite the whole function."""
        for argument, kind in self.kinds.items():
            argument.set_type(_tensor_type(kind))
            self.held[argument] = argument
        allocations = []
        for op in [op.operation for op in self.block.operations]:
            if op.name in ALLOCATIONS:
                allocations.append(op)
            else:
                self._operation(op, written)
        for op in allocations:
            op.erase()

    def _operation(self, op: Any, written: tuple[int, ...]) -> None:
        if op.name == _READ:
            self._replace(op, self._tensor(op.operands[0], op))
        elif op.name == _WRITE and self._is_place(op.operands[1]):
            self.held[op.operands[1]] = op.operands[0]
            op.erase()
        elif op.name in (*_LOADS, *_STORES):
            self._element(op)
        elif op.name == "memref.dim":
            with ir.InsertionPoint(op):
                extent = tensor.DimOp(self._tensor(op.operands[0], op), op.operands[1])
            self._replace(op, extent.results[0])
        elif op.name == "memref.dealloc":
            op.erase()
        elif op.name == "bufferization.alloc_tensor" and len(op.operands) == 1:
            if op.operands[0].type == op.results[0].type:  # a copy, which values do not need
                self._replace(op, op.operands[0])
        elif op.name == "func.return":
            self._return(op, written)

    def _element(self, op: Any) -> None:
        """A load or store outside of loops."""
        stored, memory, *rest = op.operands if op.name in _STORES else (None, *op.operands)
        with ir.InsertionPoint(op):
            subscripts = _subscripts(op, rest)
            held = self._tensor(memory, op)
            if stored is None:
                self._replace(op, tensor.ExtractOp(held, subscripts).results[0])
            else:
                self.held[memory] = tensor.InsertOp(stored, held, subscripts).results[0]
                op.erase()

    def _is_place(self, value: Any) -> bool:
        """Whether a value is, or was before its type changed, a memory."""
        return value in self.kinds or _is_memory(value.type)

    def _replace(self, op: Any, value: Any) -> None:
        op.results[0].replace_all_uses_with(value)
        op.erase()

    def _tensor(self, memory: Any, before: Any) -> Any:
        """The tensor that a memory holds; local memory starts without contents."""
        if memory not in self.held:
            kind = ir.MemRefType(memory.type)
            sizes = iter(memory.owner.operands)
            extents = [next(sizes) if kind.is_dynamic_dim(d) else kind.shape[d] for d in range(kind.rank)]
            with ir.InsertionPoint(before):
                self.held[memory] = tensor.EmptyOp(extents, kind.element_type).results[0]
        return self.held[memory]

    def _return(self, op: Any, written: tuple[int, ...]) -> None:
        first = [self.held[self.block.arguments[k]] for k in written]
        rest = [self._tensor(v, op) if self._is_place(v) else v for v in op.operands]
        with ir.InsertionPoint(op):
            func.ReturnOp([*first, *rest])
        op.erase()
        kind = ir.FunctionType.get([a.type for a in self.block.arguments], [v.type for v in [*first, *rest]])
        attributes = self.operation.attributes
        attributes["function_type"] = ir.TypeAttr.get(kind)
        if "res_attrs" in attributes:
            old = list(ir.ArrayAttr(attributes["res_attrs"]))
            attributes["res_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({}) for _ in first] + old)


def _subscripts(op: Any, operands: list[Any]) -> list[Any]:
    """The subscripts of a load or store as index values."""
    if "map" not in op.attributes:
        return operands
    subscript = ir.AffineMapAttr(op.attributes["map"]).value
    found = []
    for form in subscript.results:
        if isinstance(form, ir.AffineConstantExpr):
            found.append(arith.ConstantOp(ir.IndexType.get(), ir.AffineConstantExpr(form).value).result)
        else:
            single = ir.AffineMap.get(subscript.n_dims, subscript.n_symbols, [form])
            found.append(affine.AffineApplyOp(single, operands).results[0])
    return found
