"""The text of a call of BLAS: the tests that have to come before it, and the work that has to be done around it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.base.target import Target
from raising.native.blas.call_site import ROW_MAJOR, Site, routine
from raising.native.blas.library import Library
from raising.native.blas.recognise_routine import Form, Matrix
from raising.native.contraction.emit_contraction import write_function
from raising.native.contraction.gemm import Gemm, HalfPlane
from raising.native.contraction.microkernel import Context
from raising.native.contraction.packing import Point
from raising.native.contraction.product_terms import Scale
from raising.native.contraction.symmetric import symmetric_update
from raising.native.nest.folded_lines import Index
from raising.native.nest.fragment import Fragment, Printer
from raising.native.nest.fragment_algebra import moved_access
from raising.native.nest.kernel_call import call
from raising.native.nest.nest import Access
from raising.native.nest.read_views import Reader
from raising.support.mlir.operand_segments import segmented
from raising.support.record import dataclass


def applies(form: Form, gemm: Gemm, largest: int) -> bool | None:
    """Whether BLAS may be called for a contraction; None if that depends on numbers that are known when it runs.

    Its sizes and strides are from 1 to `largest`. For a factor that is 0, it would leave out NaN and infinity.
    """
    extents = [gemm.extents[each] for each in (*form.sizes, *(form.equal or ()))]
    strides = [_stride(each) for each in (*form.operands, form.result)]
    counts = [*(each.constant if each.is_constant else None for each in extents), *strides]
    if any(count is not None and not 1 <= count <= largest for count in counts) or _differ(form, gemm):
        return False
    scalars = (*form.alpha.scalars, *(form.beta.scalars if form.beta else ()))
    equal = form.equal is None or gemm.extents[form.equal[0]] == gemm.extents[form.equal[1]]
    return True if equal and not scalars and None not in counts else None


def _stride(matrix: Matrix) -> int | None:
    return matrix.access.array.strides[_row_axis(matrix)]


def _row_axis(matrix: Matrix) -> int:
    return next(axis for axis, index in enumerate(matrix.access.map) if matrix.row in index.dims)


def _differ(form: Form, gemm: Gemm) -> bool:
    """Whether two extents that must be the same are not, or rows overlap."""
    if form.equal is not None:
        rest = gemm.extents[form.equal[0]] - gemm.extents[form.equal[1]]
        if rest.is_constant and rest.constant:
            return True
    for matrix in (*form.operands, form.result):
        stride, width = _stride(matrix), gemm.extents[matrix.column]
        if stride is not None and width.is_constant and stride < width.constant:
            return True
    return False


@dataclass(frozen=True)
class CallSite:
    """Where a call is written; `name` is what the names of functions around it begin with."""

    module: Any
    reader: Reader
    target: Target
    library: Library
    name: str


def write_call(place: CallSite, form: Form, gemm: Gemm, before: Any, other: Any) -> Any:
    """Write the call before an operation; `other`, if given, is done instead where BLAS may not be called.

    What then stands for the contraction.
    """
    writer = _Writer(place, form, gemm, Site(place.module, gemm.element, place.library.bits, before))
    if other is not None:
        made = writer.site.either(writer.site.all(writer.tests()), other)
        writer.write()
        return made
    return writer.write()


@dataclass(frozen=True)
class _Writer:
    place: CallSite
    form: Form
    gemm: Gemm
    site: Site

    def tests(self) -> list[Any]:
        """The conditions that must hold for the call."""
        form, gemm, site = self.form, self.gemm, self.site
        largest = self.place.library.largest
        extents = [gemm.extents[each] for each in form.sizes]
        found = [site.countable(self._index(each), largest) for each in extents if not each.is_constant]
        if form.equal is not None:
            found.append(site.compare("eq", *(self._index(gemm.extents[each]) for each in form.equal)))
        for matrix in (*form.operands, form.result):
            stride = self._rows_apart(matrix)
            found += [
                site.countable(stride, largest),
                site.compare("sge", stride, self._index(gemm.extents[matrix.column])),
            ]
        scales = [scale for scale in (form.alpha, form.beta) if scale is not None and scale.scalars]
        return [*found, *(site.not_zero(self._scale(scale)) for scale in scales)]

    def write(self) -> Any:
        """The call, and all around it; the last operation."""
        form, gemm = self.form, self.gemm
        m = gemm.m[0]
        diagonal = _element(moved_access(gemm.write, {gemm.n[0]: dim(m)}))
        kept = self._buffer(gemm.extents[m].constant) if form.keeps_diagonal else None
        if form.start is not None:
            self._around("start", partial(_assign, form.start, gemm.write))
        if kept is not None:
            self._around("save", partial(_assign, diagonal, kept), kept)
        made = self._call()
        if kept is not None:
            made = self._around("restore", partial(_assign, _element(kept), diagonal.reads[0]), kept)
        return self._around("mirror", symmetric_update) if gemm.mirrored else made

    def _call(self) -> Any:
        form, site = self.form, self.site
        arguments = [site.choice(flag) for flag in (ROW_MAJOR, *form.flags)]
        arguments += [site.count(self._index(self.gemm.extents[each])) for each in form.sizes]
        arguments.append(self._scale(form.alpha))
        for matrix in form.operands:
            arguments += self._memory(matrix)
        if form.beta is not None:
            arguments.append(self._scale(form.beta))
        arguments += self._memory(form.result)
        return site.call(self.place.library.symbol(routine(form.routine, self.gemm.element)), arguments)

    def _around(self, what: str, body: Callable[[Context], None], *more: Access) -> Any:
        """A call of a function of its own."""
        place, name = self.place, f"{self.place.name}_{what}"
        kernel = write_function(self.gemm, place.target, name, body, more=more)
        return call(place.module, kernel, name, place.reader, self.site.before)

    def _buffer(self, extent: int) -> Access:
        """A temporary with an element for each row."""
        kind = ir.MemRefType.get([extent], self.site.float)
        aligned = {"alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 64)}
        (made,) = self.site.op("memref.alloc", [kind], [], **segmented(ir, 0, 0), **aligned)
        return Access(self.place.reader.view(made).array, (dim(self.gemm.m[0]),))

    def _index(self, expression: Affine) -> Any:
        """The value of an expression over values around the contraction."""
        site, total = self.site, self.site.index(expression.constant)
        for term, factor in expression.terms:
            part = site.same("arith.muli", self._value(str(term)), site.index(factor))
            total = site.same("arith.addi", total, part)
        return total

    def _value(self, name: str) -> Any:
        """An index value, or the extent `ARRAY.AXIS` of an array."""
        values = self.place.reader.values
        if name in values:
            return values[name]
        array, _, axis = name.rpartition(".")
        return self.site.layout(values[array])[1 + int(axis)]

    def _scale(self, scale: Scale) -> Any:
        """The value of a scale."""
        values = [self.place.reader.values[name] for name in scale.scalars]
        if scale.factor != 1.0 or not values:
            values.append(self.site.real(scale.factor))
        whole, *rest = values
        for value in rest:
            (whole,) = self.site.op("arith.mulf", [self.site.float], [whole, value])
        return whole

    def _rows_apart(self, matrix: Matrix) -> Any:
        array = self.place.reader.values[matrix.access.array.name]
        return self.site.layout(array)[1 + len(matrix.access.map) + _row_axis(matrix)]

    def _memory(self, matrix: Matrix) -> list[Any]:
        """The address of a matrix, and how far its rows are apart."""
        site, rank = self.site, len(matrix.access.map)
        array = self.place.reader.values[matrix.access.array.name]
        total, *numbers = site.layout(array)
        for index, stride in zip(matrix.access.map, numbers[rank:], strict=True):
            fixed = index - _dims_only(index)
            if fixed != Affine(0):
                total = site.same("arith.addi", total, site.same("arith.muli", self._index(fixed), stride))
        return [site.address(array, total), site.count(numbers[rank + _row_axis(matrix)])]


def _dims_only(index: Affine) -> Affine:
    return Affine(0, tuple((term, factor) for term, factor in index.terms if isinstance(term, int)))


def _element(access: Access) -> Fragment:
    return Fragment((access,), (), "in0", access.array.element)


def _assign(value: Fragment, write: Access, context: Context) -> None:
    """Set an element of `write` to a value, for all that are in the region of the contraction, or for all rows."""
    code, gemm = context.code, context.gemm
    rows, columns = (code.total(gemm.extents[each[0]], context.base) for each in (gemm.m, gemm.n))
    with code.each(0, rows, parallel=context.blocking.threads > 1) as row:
        if gemm.n[0] not in write.dims:
            _store(context, value, write, {**context.base, gemm.m[0]: row})
            return
        low, high = _within(context, gemm.region, row, columns)
        with code.each(low, high) as column:
            _store(context, value, write, context.place(row, column))


def _store(context: Context, value: Fragment, write: Access, point: Point) -> None:
    printer = Printer(context.code, point)
    printer.store(printer.value(value), write)


def _within(context: Context, region: tuple[HalfPlane, ...], row: Index, columns: Index) -> tuple[Index, Index]:
    """The first column of a row that is in a region, and the one after the last."""
    code, high = context.code, columns
    low: Index = 0
    for plane in region:
        if plane.column < 0:
            high = code.known(f"min({high}, max(0, {plane.row} * {row} + {plane.constant + 1}))")
        else:
            low = code.known(f"max({low}, {-plane.row} * {row} - {plane.constant})")
    return low, high
