"""A contraction among linalg operations, and the call of BLAS that does it."""

from __future__ import annotations

from typing import Any

from mlir import ir

from affine.record import dataclass
from native.blas_library import Library
from native.blas_site import AS_IT_IS, BYTES, ROW_MAJOR, TRANSPOSED, Site, routine

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
