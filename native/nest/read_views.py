"""Index values and views of memrefs, traced back to the arguments and constants that they are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim, linear
from raising.native.nest.nest import REST, Array
from raising.support.mlir.affine_expressions import evaluated
from raising.support.mlir.operand_segments import BOX, DYNAMIC, mixed
from raising.support.mlir.walk import constant_number, maker
from raising.support.record import dataclass

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
_CASTS = ("arith.index_cast", "arith.index_castui")
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
    `extents` has those of arrays that have index values for them, None for an extent that is in the type.
    """

    values: dict[str, ir.Value] = field(default_factory=dict)
    kernels: set[str] = field(default_factory=set)
    extents: Mapping[ir.Value, Sequence[ir.Value | None]] = field(default_factory=dict)
    _names: dict[ir.Value, str] = field(default_factory=dict)
    _casts: dict[tuple[str, ir.Value], str] = field(default_factory=dict)
    _clamped: dict[Affine, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for value in (each for extents in self.extents.values() for each in extents if each is not None):
            self._learn(value)

    def _learn(self, value: ir.Value) -> None:
        """Call every value that computes the same by the name of this one."""
        operation = maker(value)
        if operation is None:
            return
        for operand in operation.operands:
            self._learn(operand)
        if operation.name in _CASTS:
            self._casts.setdefault((operation.name, operation.operands[0]), self.name(value))
        elif operation.name == "arith.maxsi":
            self._clamped.setdefault(self.index(operation.operands[0]), self.name(value))

    def name(self, value: ir.Value) -> str:
        """The name of a value, the same whenever it is asked for."""
        if value not in self._names:
            self._names[value] = f"%{len(self._names)}"
            self.values[self._names[value]] = value
        return self._names[value]

    def index(self, value: ir.Value) -> Affine:
        """An index value as an expression over values that are not sums."""
        operation = maker(value)
        if operation is None:
            return dim(self.name(value))
        known = self._arithmetic(operation)
        return dim(self.name(value)) if known is None else known

    def _arithmetic(self, operation: Any) -> Affine | None:
        match operation.name:
            case "arith.constant":
                number = constant_number(operation.results[0])
                return None if number is None else Affine(number)
            case "arith.addi" | "arith.subi" | "arith.muli":
                left, right = (self.index(operand) for operand in operation.operands)
                if operation.name == "arith.subi":
                    return left - right
                return linear("+" if operation.name == "arith.addi" else "*", left, right)
            case "affine.apply":
                function = ir.AffineMapAttr(operation.attributes["map"]).value
                operands = [self.index(o) for o in operation.operands]
                return evaluated(function.results[0], operands.__getitem__, function.n_dims, Affine, linear)
        return self._learned(operation)

    def _learned(self, operation: Any) -> Affine | None:
        """The extent of a parameter, or what it is computed from, where an operation computes it again."""
        operands = list(operation.operands)
        if operation.name in _CASTS:
            found = self._casts.get((operation.name, operands[0]))
        elif operation.name == "arith.maxsi" and self._clamped and self.index(operands[1]) == Affine(0):
            found = self._clamped.get(self.index(operands[0]))
        elif operation.name == "memref.dim" and operands[0] in self.extents:
            axis = self.index(operands[1])
            known = self.extents[operands[0]][axis.constant] if axis.is_constant else None
            return None if known is None or known.owner == operation else self.index(known)
        else:
            return None
        return None if found is None else dim(found)

    def view(self, value: ir.Value) -> View:
        """The array that a memref is a part of, and which part."""
        operation = maker(value)
        if operation is not None and operation.name == "memref.subview":
            return self._subview(operation) or self._as_array(value)
        if operation is not None and operation.name == "memref.cast":
            return self.view(operation.operands[0])
        if operation is not None and operation.name == "memref.collapse_shape":
            return self._collapsed(operation) or self._as_array(value)
        return self._as_array(value)

    def root(self, value: ir.Value) -> str | None:
        """The name of the buffer that a memref is in; None if it could be in any."""
        operation = maker(value)
        if operation is None:
            block: Any = value.owner
            return self.name(value) if block.owner.operation.name == "func.func" else None
        if operation.name in _SAME_ROOT:
            return self.root(operation.operands[0])
        return self.name(value) if operation.name in _OWN_ROOT else None

    def _as_array(self, value: ir.Value) -> View:
        kind = ir.MemRefType(value.type)
        name = self.name(value)
        strides, offset = kind.get_strides_and_offset()
        sizes = tuple(self._sizes(value, kind))
        array = Array(
            name,
            str(kind.element_type),
            str(kind),
            sizes,
            tuple(None if stride == _STRIDED else stride for stride in strides),
            None if offset == _STRIDED else offset,
            self.root(value),
        )
        rank = range(len(sizes))
        return View(array, tuple(Affine(0) for _ in rank), tuple(1 for _ in rank), tuple(rank), sizes)

    def _sizes(self, value: ir.Value, kind: Any) -> Iterator[Affine]:
        """The extents of a buffer: of one that is allocated, what it is allocated with."""
        operation = maker(value)
        allocated = operation is not None and operation.name == "memref.alloc"
        given = iter(operation.operands if allocated else ())
        known = self.extents.get(value, ())
        for axis, extent in enumerate(kind.shape):
            found = next(given) if allocated and extent == DYNAMIC else known[axis] if known else None
            if extent != DYNAMIC:
                yield Affine(extent)
            else:
                yield dim(f"{self.name(value)}.{axis}") if found is None else self.index(found)

    def _subview(self, operation: Any) -> View | None:
        source = self.view(operation.operands[0])
        offsets, sizes, steps = (self._mixed(operation, name) for name in BOX)
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

    def _collapsed(self, operation: Any) -> View | None:
        """The source without dimensions of one element; None where others are joined as well."""
        source = self.view(operation.operands[0])
        groups = [[ir.IntegerAttr(axis).value for axis in group] for group in operation.attributes["reassociation"]]
        longer = [[axis for axis in group if source.sizes[axis] != Affine(1)] or group[:1] for group in groups]
        if any(len(group) > 1 for group in longer):
            return None
        kept = [axis for (axis,) in longer]
        return replace(
            source, kept=tuple(source.kept[axis] for axis in kept), sizes=tuple(source.sizes[axis] for axis in kept)
        )

    def _mixed(self, operation: Any, name: str) -> list[Affine]:
        return [Affine(n) if isinstance(n, int) else self.index(n) for n in mixed(operation, name)]


def _kept_dims(sizes: list[Affine], shape: list[int]) -> list[int] | None:
    """Which dimensions of a source are in a view of this shape: only extents of 1 can be left out."""
    kept: list[int] = []
    spare = len(sizes) - len(shape)
    for axis, size in enumerate(sizes):
        fits = len(kept) < len(shape) and shape[len(kept)] == (size.constant if size.is_constant else DYNAMIC)
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
    return all(any((s.constant if s.is_constant else DYNAMIC) == extent for s in remaining) for extent in shape)


def unguarded(extent: Affine, reader: Reader) -> Affine:
    """An extent without the guard that it is not negative."""
    name = next(iter(extent.symbols), "")
    value = reader.values.get(name)
    if value is None or extent != dim(name) or isinstance(value.owner, ir.Block):
        return extent
    operation = value.owner.operation
    if operation.name != "arith.maxsi":
        return extent
    sides = [reader.index(operand) for operand in operation.operands]
    return next((side for side, other in (sides, sides[::-1]) if other == Affine(0)), extent)


def guarded(extents: Sequence[Affine], reader: Reader) -> Iterator[tuple[str, Affine]]:
    """Extents that are the larger of 0 and something, as that, and what this is a quotient of (`Nest.guarded`)."""
    for extent in extents:
        plain = unguarded(extent, reader)
        name = next(iter(plain.symbols), "")
        if plain != extent:
            yield next(iter(extent.symbols)), plain
        operation = maker(reader.values[name], "arith.floordivsi") if name in reader.values else None
        if operation is not None and (by := constant_number(operation.operands[1])) is not None and by > 0:
            whole = reader.index(operation.operands[0])
            term = next(iter(whole.symbols), "")
            if whole - whole.constant == dim(term):
                yield term, dim(name) * by + dim(REST + name) - whole.constant
