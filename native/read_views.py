"""Index values and views of memrefs, traced back to what they are made of."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from mlir import ir

from affine.record import dataclass
from native.affine_index import Affine, dim
from native.nest import Array

_DYNAMIC = ir.ShapedType.get_dynamic_size()
_STRIDED = ir.MemRefType.get_dynamic_stride_or_offset()
_SAME_ROOT = {
    "memref.subview",
    "memref.cast",
    "memref.expand_shape",
    "memref.collapse_shape",
    "memref.reinterpret_cast",
    "memref.view",
    "memref.assume_alignment",
    "memref.memory_space_cast",
}
_OWN_ROOT = {"memref.alloc", "memref.alloca", "memref.get_global"}


@dataclass(frozen=True)
class View:
    """A part of an array: element (i0, i1, ...) of the view is at offset + step * i in the kept dimensions."""

    array: Array
    offsets: tuple[Affine, ...]
    steps: tuple[int, ...]
    kept: tuple[int, ...]
    sizes: tuple[Affine, ...]

    def subscripts(self, indices: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """The array's subscripts for the view's."""
        result = list(self.offsets)
        for axis, index in zip(self.kept, indices, strict=True):
            result[axis] = result[axis] + index * self.steps[axis]
        return tuple(result)


@dataclass
class Reader:
    """Names for the values of one function. `values` has the SSA value of each name that was given out.

    `kernels` are the functions that stand for nests by now: a call touches the memory that it passes.
    """

    values: dict[str, ir.Value] = field(default_factory=dict)
    kernels: set[str] = field(default_factory=set)
    _names: dict[ir.Value, str] = field(default_factory=dict)

    def name(self, value: ir.Value) -> str:
        """The name of a value, the same whenever it is asked for."""
        if value not in self._names:
            self._names[value] = f"%{len(self._names)}"
            self.values[self._names[value]] = value
        return self._names[value]

    def index(self, value: ir.Value) -> Affine:
        """An index value as an expression over values that are not sums."""
        operation = _owner(value)
        if operation is None:
            return dim(self.name(value))
        known = self._arithmetic(operation)
        return dim(self.name(value)) if known is None else known

    def _arithmetic(self, operation: Any) -> Affine | None:
        match operation.name:
            case "arith.constant":
                return Affine(ir.IntegerAttr(operation.attributes["value"]).value)
            case "arith.addi" | "arith.subi" | "arith.muli":
                left, right = (self.index(operand) for operand in operation.operands)
                if operation.name == "arith.addi":
                    return left + right
                if operation.name == "arith.subi":
                    return left - right
                if right.is_constant:
                    return left * right.constant
                return right * left.constant if left.is_constant else None
            case "affine.apply":
                function = ir.AffineMapAttr(operation.attributes["map"]).value
                return affine_expression(
                    function.results[0], [self.index(o) for o in operation.operands], function.n_dims
                )
        return None

    def view(self, value: ir.Value) -> View:
        """The array that a memref is a part of, and which part."""
        operation = _owner(value)
        if operation is not None and operation.name == "memref.subview":
            return self._subview(operation) or self._whole(value)
        if operation is not None and operation.name == "memref.cast":
            return self.view(operation.operands[0])
        return self._whole(value)

    def root(self, value: ir.Value) -> str | None:
        """The name of the buffer that a memref is in; None if it could be in any."""
        operation = _owner(value)
        if operation is None:
            block: Any = value.owner
            return self.name(value) if block.owner.operation.name == "func.func" else None
        if operation.name in _SAME_ROOT:
            return self.root(operation.operands[0])
        return self.name(value) if operation.name in _OWN_ROOT else None

    def _whole(self, value: ir.Value) -> View:
        kind = ir.MemRefType(value.type)
        name, shape = self.name(value), kind.shape
        strides, offset = kind.get_strides_and_offset()
        array = Array(
            name,
            str(kind.element_type),
            str(kind),
            tuple(None if extent == _DYNAMIC else extent for extent in shape),
            tuple(None if stride == _STRIDED else stride for stride in strides),
            None if offset == _STRIDED else offset,
            self.root(value),
        )
        sizes = [dim(f"{name}.{axis}") if extent == _DYNAMIC else Affine(extent) for axis, extent in enumerate(shape)]
        rank = range(len(shape))
        return View(array, tuple(Affine(0) for _ in rank), tuple(1 for _ in rank), tuple(rank), tuple(sizes))

    def _subview(self, operation: Any) -> View | None:
        source = self.view(operation.operands[0])
        dynamic = iter(list(operation.operands)[1:])
        parts = [self._mixed(operation, name, dynamic) for name in ("static_offsets", "static_sizes", "static_strides")]
        offsets, sizes, steps = parts
        if any(not step.is_constant for step in steps):
            return None
        kept = _kept_dims(sizes, ir.MemRefType(operation.results[0].type).shape)
        if kept is None:
            return None
        all_steps = list(source.steps)
        for axis, step in zip(source.kept, steps, strict=True):
            all_steps[axis] = all_steps[axis] * step.constant
        return View(
            source.array,
            source.subscripts(tuple(offsets)),
            tuple(all_steps),
            tuple(source.kept[axis] for axis in kept),
            tuple(sizes[axis] for axis in kept),
        )

    def _mixed(self, operation: Any, name: str, dynamic: Any) -> list[Affine]:
        """Numbers, with the next operand wherever there is none."""
        static = list(ir.DenseI64ArrayAttr(operation.attributes[name]))
        return [self.index(next(dynamic)) if number == _DYNAMIC else Affine(number) for number in static]


def affine_expression(expression: ir.AffineExpr, operands: list[Affine], dims: int) -> Affine | None:
    """MLIR's expression of dimensions and symbols, with these in their place; None if it is not a sum."""
    if isinstance(expression, ir.AffineConstantExpr):
        return Affine(expression.value)
    if isinstance(expression, ir.AffineDimExpr | ir.AffineSymbolExpr):
        position: int = expression.position
        return operands[position + (dims if isinstance(expression, ir.AffineSymbolExpr) else 0)]
    left, right = (affine_expression(side, operands, dims) for side in (expression.lhs, expression.rhs))
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return left + right
    if isinstance(expression, ir.AffineMulExpr) and right.is_constant:
        return left * right.constant
    return None


def _owner(value: ir.Value) -> Any:
    """The operation that defines a value; None for an argument of a block."""
    return None if isinstance(value.owner, ir.Block) else value.owner.operation


def _kept_dims(sizes: list[Affine], shape: list[int]) -> list[int] | None:
    """Which dimensions of a source are in a view of this shape: only extents of 1 can be left out."""
    kept: list[int] = []
    spare = len(sizes) - len(shape)
    for axis, size in enumerate(sizes):
        fits = len(kept) < len(shape) and shape[len(kept)] == (size.constant if size.is_constant else _DYNAMIC)
        if fits and not (spare and size == Affine(1) and _fits_later(sizes[axis + 1 :], shape[len(kept) :])):
            kept.append(axis)
        elif size == Affine(1) and spare:
            spare -= 1
        else:
            return None
    return kept if len(kept) == len(shape) else None


def _fits_later(sizes: list[Affine], shape: list[int]) -> bool:
    """Whether the shape can be had from the sizes alone."""
    remaining = iter(sizes)
    return all(any((s.constant if s.is_constant else _DYNAMIC) == extent for s in remaining) for extent in shape)
