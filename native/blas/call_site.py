"""The place of one call of BLAS: the contraction among linalg operations, and operations that make its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

from mlir import ir

from raising.native.blas.library import Library
from raising.support.mlir.op_writer import OpWriter
from raising.support.record import dataclass

ROW_MAJOR, AS_IT_IS, TRANSPOSED = 101, 111, 112
UPPER, LOWER, NON_UNIT, UNIT, LEFT, RIGHT = 121, 122, 131, 132, 141, 142

BYTES = {"f32": 4, "f64": 8}
_LETTERS = {"f32": "s", "f64": "d"}
_UNORDERED_OR_NOT_EQUAL = 13  # of arith.cmpf


class Site(OpWriter):
    """Writes operations into a module, before another one; `bits` are those of BLAS's integers."""

    def __init__(self, module: Any, element: str, bits: int, before: Any) -> None:
        super().__init__(ir, ir.InsertionPoint(before))
        self.module, self.element, self.before, self.float = module, element, before, ir.Type.parse(element)
        self.flag, self.integer = (ir.IntegerType.get_signless(width) for width in (32, bits))

    def real(self, value: float) -> Any:
        """A constant of the element type."""
        return self.op("arith.constant", [self.float], value=ir.FloatAttr.get(self.float, value))[0]

    def choice(self, value: int) -> Any:
        """A constant of one of BLAS's enumerations."""
        return self.constant(self.flag, value)

    def count(self, index: Any) -> Any:
        """An index as an integer of BLAS."""
        return self.op("arith.index_cast", [self.integer], [index])[0]

    def not_zero(self, value: Any) -> Any:
        """Whether a float is not 0; NaN is not."""
        code = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _UNORDERED_OR_NOT_EQUAL)
        return self.op("arith.cmpf", [ir.IntegerType.get_signless(1)], [value, self.real(0.0)], predicate=code)[0]

    def all(self, tests: Sequence[Any]) -> Any:
        """Whether all of these hold."""
        return reduce(partial(self.same, "arith.andi"), tests)

    def layout(self, array: Any) -> list[Any]:
        """Offset, sizes and strides of an array."""
        kind = array.type
        kinds = [ir.MemRefType.get([], kind.element_type), *[ir.IndexType.get()] * (1 + 2 * kind.rank)]
        return list(self.op("memref.extract_strided_metadata", kinds, [array]))[1:]

    def address(self, array: Any, offset: Any) -> Any:
        """The address of the element that is so far from where an array's memory starts."""
        (start,) = self.op("memref.extract_aligned_pointer_as_index", [ir.IndexType.get()], [array])
        address = self.same("arith.addi", start, self.same("arith.muli", offset, self.index(BYTES[self.element])))
        (number,) = self.op("arith.index_cast", [ir.IntegerType.get_signless(64)], [address])
        return self.op("llvm.inttoptr", [ir.Type.parse("!llvm.ptr")], [number])[0]

    def countable(self, number: Any, largest: int) -> Any:
        """Whether an index is from 1 to a number."""
        less = self.same("arith.subi", number, self.index(1))
        return self.compare("ule", less, self.index(largest - 1))

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        """A call of a function without results, which is declared if it is not yet."""
        known = {ir.StringAttr(op.attributes["sym_name"]).value for op in self.module.body.operations}
        if name not in known:
            kind = ir.TypeAttr.get(ir.FunctionType.get([argument.type for argument in arguments], []))
            attributes = {"sym_name": ir.StringAttr.get(name), "function_type": kind}
            attributes["sym_visibility"] = ir.StringAttr.get("private")
            place = ir.InsertionPoint.at_block_begin(self.module.body)
            ir.Operation.create("func.func", attributes=attributes, regions=1, ip=place)
        callee = {"callee": ir.FlatSymbolRefAttr.get(name)}
        return ir.Operation.create("func.call", [], list(arguments), callee, ip=self.place)

    def either(self, condition: Any, other: Any) -> Any:
        """A choice between what is written from now on, and another operation, which is moved."""
        choice = ir.Operation.create("scf.if", [], [condition], regions=2, ip=self.place)
        yes, no = (region.blocks.append() for region in choice.regions)
        ends = [ir.Operation.create("scf.yield", ip=ir.InsertionPoint(block)) for block in (yes, no)]
        other.move_before(ends[1])
        self.before, self.place = ends[0], ir.InsertionPoint(ends[0])
        return choice


def routine(name: str, element: str) -> str:
    """The name of a routine of BLAS in its C interface, without what a library adds to it."""
    return f"cblas_{_LETTERS[element]}{name}"


_BODY = ["arith.mulf", "arith.addf", "linalg.yield"]


@dataclass(frozen=True)
class Operand:
    """An array of a contraction, and which dimension of the contraction each of its own is.

    Neighbours in the last one are neighbours in memory.
    """

    value: Any
    dims: tuple[int, ...]

    def size(self, dim: int) -> int | None:
        """The extent along a dimension, None if it is not known."""
        own, kind = self.dims.index(dim), self.value.type
        return None if kind.is_dynamic_dim(own) else int(kind.get_dim_size(own))


@dataclass(frozen=True)
class Contraction:
    """c[m, n] += a[m, k] * b[k, n]; or without n, where b and c are vectors."""

    a: Operand
    b: Operand
    c: Operand
    m: int
    n: int | None
    k: int
    element: str

    @property
    def routine(self) -> str:
        """The routine of BLAS, without the letter of its element type."""
        return "gemv" if self.n is None else "gemm"

    @property
    def sizes(self) -> tuple[int | None, ...]:
        """The sizes m, n and k."""
        return self.a.size(self.m), 1 if self.n is None else self.b.size(self.n), self.a.size(self.k)


def read_contraction(op: Any) -> Contraction | None:
    """The contraction that a `linalg.generic` on memory is, if it is one of two matrices or a matrix and a vector."""
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    values = list(op.operands)
    if len(values) != 3 or not all(m.is_projected_permutation for m in maps) or not _multiplies_and_adds(op):
        return None
    element = str(values[2].type.element_type) if isinstance(values[2].type, ir.MemRefType) else ""
    operands = [
        Operand(v, tuple(ir.AffineDimExpr(e).position for e in m.results)) for v, m in zip(values, maps, strict=True)
    ]
    if element not in BYTES or not all(_lies_well(operand) for operand in operands):
        return None
    a, b, c = operands
    return _arranged(a, b, c, element) if maps[0].n_dims in (2, 3) else None


def _multiplies_and_adds(op: Any) -> bool:
    """Whether the body is c + a * b."""
    block = op.regions[0].blocks[0]
    operations = [inner.operation for inner in block.operations]
    if [inner.name for inner in operations] != _BODY:
        return False
    product, total, end = operations
    a, b, c = block.arguments
    both = {a, b} == set(product.operands) and {c, product.results[0]} == set(total.operands)
    return both and list(end.operands) == list(total.results)


def _lies_well(operand: Operand) -> bool:
    """Whether the array has rank 1, or is a matrix with rows whose elements are neighbours."""
    if not isinstance(operand.value.type, ir.MemRefType):
        return False
    strides, _ = operand.value.type.get_strides_and_offset()
    return len(strides) == 1 or (len(strides) == 2 and strides[1] == 1)


def _arranged(a: Operand, b: Operand, c: Operand, element: str) -> Contraction | None:
    """The contraction with the operands in BLAS's places: c by rows, a matrix before a vector."""
    if len(a.dims) < len(b.dims) or (len(c.dims) == 2 and c.dims[0] not in a.dims):
        a, b = b, a
    summed = [d for d in a.dims if d in b.dims and d not in c.dims]
    rows = [d for d in a.dims if d in c.dims and d not in b.dims]
    columns = [d for d in b.dims if d in c.dims and d not in a.dims]
    shape = (len(a.dims), len(b.dims), len(c.dims), len(summed), len(rows), len(columns))
    if shape == (2, 2, 2, 1, 1, 1) and c.dims == (rows[0], columns[0]):
        return Contraction(a, b, c, rows[0], columns[0], summed[0], element)
    if shape == (2, 1, 1, 1, 1, 0):
        return Contraction(a, b, c, rows[0], None, summed[0], element)
    return None


def replace_by_call(module: Any, op: Any, found: Contraction, library: Library) -> bool:
    """Put the call in place of the operation; it stays for sizes that BLAS cannot count. Whether that was done."""
    name, site = routine(found.routine, found.element), Site(module, found.element, library.bits, op)
    if not library.has(name) or any(size is not None and not 1 <= size <= library.largest for size in found.sizes):
        return False
    if None in found.sizes:
        counts = [number for o in (found.a, found.b, found.c) for number in site.layout(o.value)[1:]]
        site.either(site.all([site.countable(number, library.largest) for number in counts]), op)
    site.call(library.symbol(name), _arguments(site, found))
    if None not in found.sizes:
        op.erase()
    return True


def _arguments(site: Site, found: Contraction) -> list[Any]:
    one = site.real(1.0)
    (pa, sa), (pb, sb), (pc, sc) = (_memory(site, o) for o in (found.a, found.b, found.c))
    m, k = _size(site, found.a, found.m), _size(site, found.a, found.k)
    turned_a = found.a.dims[0] != found.m
    if found.n is None:
        rows, columns = (k, m) if turned_a else (m, k)
        flags = [site.choice(ROW_MAJOR), _turn(site, turned_a)]
        return [*flags, rows, columns, one, pa, sa, pb, sb, one, pc, sc]
    flags = [site.choice(ROW_MAJOR), _turn(site, turned_a), _turn(site, found.b.dims[0] != found.k)]
    return [*flags, m, _size(site, found.b, found.n), k, one, pa, sa, pb, sb, one, pc, sc]


def _turn(site: Site, turned: bool) -> Any:
    return site.choice(TRANSPOSED if turned else AS_IT_IS)


def _memory(site: Site, operand: Operand) -> tuple[Any, Any]:
    """The address of the first element, and how far the rows of a matrix or the elements of a vector are apart."""
    offset, *numbers = site.layout(operand.value)
    return site.address(operand.value, offset), site.count(numbers[len(operand.dims)])


def _size(site: Site, operand: Operand, dim: int) -> Any:
    return site.count(site.layout(operand.value)[1 + operand.dims.index(dim)])
