"""Nests read from the operations of a block (`raising.native.nest.nest`), with their scalar operations one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim, linear
from raising.native.nest.dependence import distance
from raising.native.nest.nest import Access, Effects, Nest, Scalar
from raising.native.nest.read_views import Reader, View, guarded
from raising.support.mlir.affine_expressions import evaluated
from raising.support.mlir.operand_segments import input_count
from raising.support.mlir.walk import iterator_kinds
from raising.support.record import dataclass

PURE = re.compile(
    r"(arith|math|index|ub)\..*|affine\.(apply|min|max)|memref\.(subview|cast|dim|get_global|alloca?|expand_shape"
    r"|collapse_shape|reinterpret_cast|view|assume_alignment|memory_space_cast)"
)
"""Operations that touch no memory."""
_LONGER = ("arith.extsi", "arith.extui")
_THROUGH_INDEX = {"arith.index_cast": "arith.extsi", "arith.index_castui": "arith.extui"}
"""What becomes of an integer that is made an index and then an integer again."""


@dataclass
class BodyReader:
    """The scalar operations of a nest while they are read; `names` has those of the values so far."""

    reader: Reader
    names: dict[ir.Value, str]
    rank: int
    reads: list[Access] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    captured: dict[str, str] = field(default_factory=dict)

    def outside(self, value: ir.Value) -> str:
        """The name of a scalar from around the nest; constants and what makes integers longer become part of the body.

        Integers are computed on as few bits as their values need, so that it counts from how many bits they came.
        """
        owner = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation
        if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
            return self.add(owner, ())
        if not isinstance(owner, ir.Block) and owner.name in _LONGER:
            return self.add(owner, (self.operand(owner.operands[0]),))
        name = self.reader.name(value)
        self.captured[name] = str(value.type)
        return name

    def dimension(self, value: ir.Value, number: int) -> None:
        """Take a value for the index of a dimension."""
        self.scalars.append(Scalar("linalg.index", (), str(number), (), "index"))
        self.names[value] = f"v{len(self.scalars) - 1}"

    def operand(self, value: ir.Value) -> str:
        """The name of any value that the body uses."""
        if value not in self.names:
            self.names[value] = self.outside(value)
        return self.names[value]

    def add(self, operation: Any, args: tuple[str, ...]) -> str:
        """One more operation; the name of its value."""
        properties = _properties(operation)
        if operation.name == "linalg.index":
            properties = str(ir.IntegerAttr(operation.attributes["dim"]).value)
        types = tuple(str(operand.type) for operand in operation.operands)
        self.scalars.append(Scalar(operation.name, args, properties, types, str(operation.results[0].type)))
        return f"v{len(self.scalars) - 1}"

    def read(self, access: Access) -> str:
        """The name of the element that an access reads."""
        if access not in self.reads:
            self.reads.append(access)
        return f"in{self.reads.index(access)}"

    def visit(self, operation: Any) -> bool:
        """Take in one operation; False if it is none that a body can have."""
        if operation.name == "memref.load":
            return self._load(operation)
        if (shorter := _by_way_of_index(operation)) is not None:
            name, value = shorter
            kinds = (str(value.type),), str(operation.results[0].type)
            self.scalars.append(Scalar(name, (self.operand(value),), "", *kinds))
            return self._name(operation, f"v{len(self.scalars) - 1}")
        scalar = operation.name == "linalg.index" or PURE.fullmatch(operation.name)
        if not scalar or len(operation.results) != 1 or len(operation.regions):
            return False
        args = tuple(self.operand(value) for value in operation.operands)
        return self._name(operation, self.add(operation, args))

    def _name(self, operation: Any, name: str) -> bool:
        self.names[operation.results[0]] = name
        return True

    def _load(self, operation: Any) -> bool:
        """A load at subscripts that are affine in the nest's dimensions is a read like others."""
        source, *indices = operation.operands
        access = self.access(source, indices)
        return access is not None and self._name(operation, self.read(access))

    def access(self, source: ir.Value, indices: Sequence[ir.Value]) -> Access | None:
        """An element of a memref, if its subscripts are affine."""
        found = [self.index(value) for value in indices]
        if None in found:
            return None
        view = self.reader.view(source)
        return Access(view.array, view.subscripts(tuple(index for index in found if index is not None)))

    def index(self, value: ir.Value) -> Affine | None:
        """An index value of the body as an expression over dimensions and values around the nest."""
        return self._named_index(self.names[value]) if value in self.names else self.reader.index(value)

    def _named_index(self, name: str) -> Affine | None:
        if name.startswith("%"):
            return self.reader.index(self.reader.values[name])
        return self.scalars[int(name[1:])].index(self._named_index) if name[0] == "v" else None


def _properties(operation: Any) -> str:
    """The part of an operation's generic form between its operands and its types."""
    text = operation.get_asm(print_generic_op_form=True, use_local_scope=True, assume_verified=True)
    found = re.search(r"\)\s*(<\{.*\}>)?\s*(\{.*\})? : \(", text, re.DOTALL)
    return " ".join(part for part in (found.groups() if found else ()) if part)


_STRUCTURED = ("scf.for", "scf.if", "scf.while", "scf.parallel", "scf.execute_region")
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Item:
    """An operation of a block and what it does."""

    operation: Any
    what: Nest | Effects


_NESTS = ("linalg.generic", "linalg.fill", "linalg.copy", "memref.copy")


def may_have_nests(block: ir.Block) -> bool:
    """Whether one of a block's own operations may be a nest: to read all that is inside of the others takes long."""
    return any(view.operation.name in _NESTS for view in block.operations)


def read_block(block: ir.Block, reader: Reader) -> list[Item]:
    """Every operation of the block, in order."""
    return [Item(view.operation, read_operation(view.operation, reader)) for view in block.operations]


def read_operation(operation: Any, reader: Reader) -> Nest | Effects:
    """The nest that an operation is, if it can be read; else the memory that it touches."""
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
    """The effects of all operations in the regions together."""
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


def _by_way_of_index(operation: Any) -> tuple[str, ir.Value] | None:
    """What makes a shorter integer as long as a result that it becomes by way of an index, and that integer."""
    if operation.name != "arith.index_cast" or isinstance(operation.operands[0].owner, ir.Block):
        return None
    longer = _THROUGH_INDEX.get((first := operation.operands[0].owner.operation).name)
    kinds = [value.type for value in (first.operands[0], operation.results[0])] if longer else []
    if not kinds or not all(isinstance(kind, ir.IntegerType) for kind in kinds):
        return None
    return (longer, first.operands[0]) if kinds[0].width < kinds[1].width else None  # type: ignore[return-value]


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
        self.inputs = input_count(operation)
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
        found = Nest(
            extents,
            tuple(kind == "parallel" for kind in iterator_kinds(self.operation)),
            tuple(body.reads),
            writes,
            tuple(body.scalars),
            yields,
            tuple(body.captured.items()),
            str(self.operation.location),
            tuple(guarded(extents, self.reader)),
        ).tidy
        return found if _any_order(found) else None

    def _is_for_size(self, number: int) -> bool:
        """Whether an operand does no more than say how far the dimensions go."""
        return number < self.inputs and not _used(self.block.arguments[number])

    def _read_for_extents(self, body: BodyReader, accesses: list[Access | None], extents: tuple[Affine, ...]) -> None:
        """Let the nest read operands that only give its extents, so that its kernel gets these arrays."""
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
        return [evaluated(result, dim, self.rank, Affine, linear) for result in self.maps[number].results]

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


def _any_order(nest: Nest) -> bool:
    """Whether no point reads what another one writes: where one does, the text's loops say which of them is first."""
    pairs = ((write, read) for write in nest.writes for read in nest.reads if read != write)
    met = (w.array.may_overlap(r.array) and distance(nest, w, nest, r, 0) is not None for w, r in pairs)
    return not any(met)


def _used(argument: Any) -> bool:
    return next(iter(argument.uses), None) is not None
