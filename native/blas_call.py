"""A contraction among linalg operations, and the call of BLAS that does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from affine.record import dataclass

_ROW_MAJOR, _AS_IT_IS, _TRANSPOSED = 101, 111, 112
_LETTERS = {"f32": "s", "f64": "d"}
_BYTES = {"f32": 4, "f64": 8}
_LARGEST = (1 << 31) - 1
_UNSIGNED_BELOW = 6  # of the predicates of arith.cmpi
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
    if element not in _LETTERS or not all(_lies_well(operand) for operand in operands):
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


def replace_by_call(module: Any, op: Any, found: Contraction, prefix: str) -> None:
    """Put the call in place of the operation; it stays for sizes that BLAS cannot count."""
    place = ir.InsertionPoint(op)
    if None not in found.sizes:
        if max(size for size in found.sizes if size is not None) <= _LARGEST:
            _Call(module, found, prefix, place).write()
            op.erase()
        return
    writer = _Call(module, found, prefix, place)
    choice = ir.Operation.create("scf.if", [], [writer.countable()], regions=2, ip=place)
    yes, no = (region.blocks.append() for region in choice.regions)
    ends = [ir.Operation.create("scf.yield", ip=ir.InsertionPoint(block)) for block in (yes, no)]
    writer.place = ir.InsertionPoint(ends[0])
    writer.write()
    op.move_before(ends[1])


class _Call:
    """Writes the operations around one call."""

    def __init__(self, module: Any, found: Contraction, prefix: str, place: Any) -> None:
        self.module, self.found, self.prefix, self.place = module, found, prefix, place
        self.index, self.int32 = ir.IndexType.get(), ir.IntegerType.get_signless(32)
        self.float = ir.Type.parse(found.element)

    def write(self) -> None:
        """The call."""
        found = self.found
        one = self._constant(self.float, ir.FloatAttr.get(self.float, 1.0))
        (pa, sa), (pb, sb), (pc, sc) = (self._memory(o) for o in (found.a, found.b, found.c))
        m, k = self._size(found.a, found.m), self._size(found.a, found.k)
        if found.n is None:
            turned = found.a.dims[0] != found.m
            rows, columns = (k, m) if turned else (m, k)
            flags = [self._number(_ROW_MAJOR), self._number(_TRANSPOSED if turned else _AS_IT_IS)]
            arguments = [*flags, rows, columns, one, pa, sa, pb, sb, one, pc, sc]
        else:
            turned_a, turned_b = found.a.dims[0] != found.m, found.b.dims[0] != found.k
            turns = [self._number(_TRANSPOSED if turned else _AS_IT_IS) for turned in (turned_a, turned_b)]
            n = self._size(found.b, found.n)
            arguments = [self._number(_ROW_MAJOR), *turns, m, n, k, one, pa, sa, pb, sb, one, pc, sc]
        name = f"{self.prefix}cblas_{_LETTERS[found.element]}{'gemv' if found.n is None else 'gemm'}"
        self._declare(name, [argument.type for argument in arguments])
        self._op("func.call", [], arguments, callee=ir.FlatSymbolRefAttr.get(name))

    def countable(self) -> Any:
        """Whether all sizes and strides are 32-bit numbers."""
        largest = self._constant(self.index, ir.IntegerAttr.get(self.index, _LARGEST))
        below = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _UNSIGNED_BELOW)
        truth = ir.IntegerType.get_signless(1)
        numbers = [n for o in (self.found.a, self.found.b, self.found.c) for n in self._numbers(o)[1:]]
        tests = [self._op("arith.cmpi", [truth], [n, largest], predicate=below)[0] for n in numbers]
        whole = tests[0]
        for test in tests[1:]:
            (whole,) = self._op("arith.andi", [truth], [whole, test])
        return whole

    def _op(self, name: str, kinds: Sequence[Any], operands: Sequence[Any], **attributes: Any) -> Any:
        return ir.Operation.create(name, list(kinds), list(operands), attributes=attributes, ip=self.place).results

    def _constant(self, kind: Any, value: Any) -> Any:
        return self._op("arith.constant", [kind], [], value=value)[0]

    def _number(self, value: int) -> Any:
        return self._constant(self.int32, ir.IntegerAttr.get(self.int32, value))

    def _numbers(self, operand: Operand) -> list[Any]:
        """Offset, sizes and strides of an array."""
        kind = operand.value.type
        base = ir.MemRefType.get([], kind.element_type)
        made = self._op("memref.extract_strided_metadata", [base, *[self.index] * (1 + 2 * kind.rank)], [operand.value])
        return list(made)[1:]

    def _memory(self, operand: Operand) -> tuple[Any, Any]:
        """The address of the first element, and how far the rows of a matrix or the elements of a vector are apart."""
        offset, *numbers = self._numbers(operand)
        (start,) = self._op("memref.extract_aligned_pointer_as_index", [self.index], [operand.value])
        size = self._constant(self.index, ir.IntegerAttr.get(self.index, _BYTES[self.found.element]))
        (bytes_,) = self._op("arith.muli", [self.index], [offset, size])
        (address,) = self._op("arith.addi", [self.index], [start, bytes_])
        (number,) = self._op("arith.index_cast", [ir.IntegerType.get_signless(64)], [address])
        (pointer,) = self._op("llvm.inttoptr", [ir.Type.parse("!llvm.ptr")], [number])
        step = numbers[len(operand.dims)]
        return pointer, self._op("arith.index_cast", [self.int32], [step])[0]

    def _size(self, operand: Operand, dim: int) -> Any:
        number = self._numbers(operand)[1 + operand.dims.index(dim)]
        return self._op("arith.index_cast", [self.int32], [number])[0]

    def _declare(self, name: str, kinds: Sequence[Any]) -> None:
        known = {ir.StringAttr(op.attributes["sym_name"]).value for op in self.module.body.operations}
        if name not in known:
            kind = ir.TypeAttr.get(ir.FunctionType.get(list(kinds), []))
            attributes = {"sym_name": ir.StringAttr.get(name), "function_type": kind}
            attributes["sym_visibility"] = ir.StringAttr.get("private")
            place = ir.InsertionPoint.at_block_begin(self.module.body)
            ir.Operation.create("func.func", attributes=attributes, regions=1, ip=place)
