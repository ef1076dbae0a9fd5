"""From the operations of a block to nests: see `native.nest`."""

from __future__ import annotations

from typing import Any

from mlir import ir

from affine.record import dataclass
from native.affine_index import Affine, dim
from native.nest import Access, Effects, Nest
from native.read_body import PURE, BodyReader
from native.read_views import Reader, View, affine_expression

_STRUCTURED = ("scf.for", "scf.if", "scf.while", "scf.parallel", "scf.execute_region")
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Item:
    """An operation of a block and what it does."""

    operation: Any
    what: Nest | Effects


def read_block(block: ir.Block, reader: Reader) -> list[Item]:
    """Every operation of the block, in order."""
    return [Item(view.operation, read_operation(view.operation, reader)) for view in block.operations]


def read_operation(operation: Any, reader: Reader) -> Nest | Effects:
    """A nest if the operation is one that can be read, else what memory it touches."""
    nest: Nest | None = None
    match operation.name:
        case "linalg.generic":
            nest = _Generic(operation, reader).nest()
        case "linalg.fill":
            nest = _fill(operation, reader)
        case "linalg.copy" | "memref.copy":
            nest = _copy(operation, reader)
    return nest or _effects(operation, reader)


def _effects(operation: Any, reader: Reader) -> Effects:
    if PURE.fullmatch(operation.name):
        return Effects(_NOTHING, _NOTHING)
    operands = list(operation.operands)
    match operation.name:
        case "memref.load":
            return Effects(_root(operands[0], reader), _NOTHING)
        case "memref.store":
            return Effects(_NOTHING, _root(operands[1], reader))
        case "memref.dealloc":
            return Effects(_NOTHING, _root(operands[0], reader))
        case "func.call" if ir.FlatSymbolRefAttr(operation.attributes["callee"]).value in reader.kernels:
            touched = _known([reader.root(value) for value in operands if isinstance(value.type, ir.MemRefType)])
            return Effects(touched, touched)
        case "scf.yield" | "scf.reduce":
            return Effects(_NOTHING, _NOTHING)
    if operation.name in _STRUCTURED:
        return _effects_inside(operation, reader)
    return Effects(None, None)


def _effects_inside(operation: Any, reader: Reader) -> Effects:
    """What the operations in the regions touch together."""
    reads: frozenset[str] | None = _NOTHING
    writes: frozenset[str] | None = _NOTHING
    for block in (block for region in operation.regions for block in region.blocks):
        for item in read_block(block, reader):
            found = item.what if isinstance(item.what, Effects) else effects_of(item.what)
            reads = None if reads is None or found.reads is None else reads | found.reads
            writes = None if writes is None or found.writes is None else writes | found.writes
    return Effects(reads, writes)


def effects_of(nest: Nest) -> Effects:
    """The memory that a nest touches."""
    reads, writes = ([access.array.root for access in accesses] for accesses in (nest.reads, nest.writes))
    return Effects(_known(reads), _known(writes))


def _known(roots: list[str | None]) -> frozenset[str] | None:
    return None if None in roots else frozenset(root for root in roots if root is not None)


def _root(value: ir.Value, reader: Reader) -> frozenset[str] | None:
    root = reader.root(value)
    return None if root is None else frozenset({root})


def _copy(operation: Any, reader: Reader) -> Nest | None:
    source, target = (reader.view(operand) for operand in operation.operands)
    dims = tuple(dim(number) for number in range(len(target.sizes)))
    sizes = tuple(a if a.is_constant else b for a, b in zip(target.sizes, source.sizes, strict=True))
    read, write = (Access(view.array, view.subscripts(dims)) for view in (source, target))
    return Nest(sizes, (True,) * len(dims), (read,), (write,), (), ("in0",), (), str(operation.location))


def _fill(operation: Any, reader: Reader) -> Nest | None:
    value, target = operation.operands
    if not isinstance(target.type, ir.MemRefType):
        return None
    view = reader.view(target)
    dims = tuple(dim(number) for number in range(len(view.sizes)))
    body = BodyReader(reader, {}, len(dims))
    name = body.outside(value)
    write = Access(view.array, view.subscripts(dims))
    captured = tuple(body.captured.items())
    scalars, place = tuple(body.scalars), str(operation.location)
    return Nest(view.sizes, (True,) * len(dims), (), (write,), scalars, (name,), captured, place)


class _Generic:
    """A `linalg.generic` on memrefs while it is read."""

    def __init__(self, operation: Any, reader: Reader) -> None:
        self.operation, self.reader = operation, reader
        self.operands = list(operation.operands)
        self.inputs = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))[0]
        self.maps = [ir.AffineMapAttr(attribute).value for attribute in operation.attributes["indexing_maps"]]
        self.rank = self.maps[0].n_dims
        self.block = operation.regions[0].blocks[0]

    def nest(self) -> Nest | None:
        """The nest, or None if a map or an operation of the body is beyond what a nest can say."""
        accesses = [self._access(number) for number in range(len(self.operands))]
        if any(access is None and self._is_memref(number) for number, access in enumerate(accesses)):
            return None
        extents = self._extents()
        body = BodyReader(self.reader, {}, self.rank)
        for argument, access, value in zip(self.block.arguments, accesses, self.operands, strict=True):
            if _used(argument):
                body.names[argument] = body.outside(value) if access is None else body.read(access)
        *operations, end = (view.operation for view in self.block.operations)
        if extents is None or not all(body.visit(operation) for operation in operations):
            return None
        self._read_for_extents(body, accesses, extents)
        yields = tuple(body.operand(value) for value in end.operands)
        writes = tuple(access for access in accesses[self.inputs :] if access is not None)
        kinds = [str(kind) for kind in self.operation.attributes["iterator_types"]]
        return Nest(
            extents,
            tuple("parallel" in kind for kind in kinds),
            tuple(body.reads),
            writes,
            tuple(body.scalars),
            yields,
            tuple(body.captured.items()),
            str(self.operation.location),
        )

    def _is_for_size(self, number: int) -> bool:
        """Whether an operand does no more than say how far the dimensions go."""
        return number < self.inputs and not _used(self.block.arguments[number])

    def _read_for_extents(self, body: BodyReader, accesses: list[Access | None], extents: tuple[Affine, ...]) -> None:
        """Have the nest read what only says how far it goes, so that whoever writes the nest has the array."""
        asked = {symbol.split(".")[0] for extent in extents for symbol in extent.symbols if "." in symbol}
        for number, access in enumerate(accesses):
            if access is not None and self._is_for_size(number) and access.array.name in asked:
                body.read(access)

    def _is_memref(self, number: int) -> bool:
        return number >= self.inputs or isinstance(self.operands[number].type, ir.ShapedType)

    def _view(self, number: int) -> View | None:
        value = self.operands[number]
        return self.reader.view(value) if isinstance(value.type, ir.MemRefType) else None

    def _indices(self, number: int) -> list[Affine | None]:
        dims = [dim(axis) for axis in range(self.rank)]
        return [affine_expression(result, dims, self.rank) for result in self.maps[number].results]

    def _access(self, number: int) -> Access | None:
        view, indices = self._view(number), self._indices(number)
        if view is None or None in indices:
            return None
        return Access(view.array, view.subscripts(tuple(index for index in indices if index is not None)))

    def _sizes(self, number: int) -> tuple[Affine, ...]:
        """The extents of an operand."""
        view = self._view(number)
        return () if view is None else view.sizes

    def _extents(self) -> tuple[Affine, ...] | None:
        """The extent of each dimension: that of an operand which it indexes alone, a number if there is one."""
        found: dict[int, Affine] = {}
        for number in sorted(range(len(self.operands)), key=self._is_for_size):
            for index, size in zip(self._indices(number), self._sizes(number), strict=False):
                if index is not None and len(index.terms) == 1 and index == dim(next(iter(index.dims))):
                    (axis,) = index.dims
                    if axis not in found or size.is_constant:
                        found[axis] = size
        return tuple(found[axis] for axis in range(self.rank)) if len(found) == self.rank else None


def _used(argument: Any) -> bool:
    return next(iter(argument.uses), None) is not None
