"""Views of memory: what an access of a view accesses in the memory behind it.

Each reader of an operation notes a function from the subscripts of the result to those of its source. A view that
cannot be read that way is left out, so that loops that use it are refused.

    before  %m = memref.subview %a[2, 1] [4, 4] [1, 1]; affine.store %x, %m[%i, 0]
    after   a[i + 2][1] = x
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin, const
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.mlir.flat_rows import Strided, polynomial
from raising.frontend.mlir.loop_nest import NestReader
from raising.support.mlir.operand_segments import BOX, mixed
from raising.support.mlir.walk import maker


def cast(r: NestReader, op: Any) -> None:
    """The same memory, with less said of its extents."""
    source, result = op.operands[0], op.results[0]
    if not (isinstance(source.type, ir.MemRefType) and isinstance(result.type, ir.MemRefType)):
        return
    before, after = ir.MemRefType(source.type), ir.MemRefType(result.type)
    same = before.affine_map == after.affine_map and before.memory_space == after.memory_space
    dims = range(after.rank) if before.rank == after.rank else ()
    told = all(after.is_dynamic_dim(d) or before.shape[d] == after.shape[d] for d in dims)
    if same and told and len(dims) and source in r.memory:
        r.memory[result] = r.memory[source]
        if source in r.views:
            r.views[result] = r.views[source]


def subview(r: NestReader, op: Any) -> None:
    """A box of a memory, of elements in steps; dimensions of one element may be left out of the result."""
    source, result = op.operands[0], op.results[0]
    given = [_numbers(r, op, name) for name in BOX]
    lows, sizes, steps = _known(given[0]), given[1], _constants(given[2])
    dropped = _dropped(ir.MemRefType(source.type), ir.MemRefType(result.type), sizes)
    if lows is None or steps is None or dropped is None:
        return

    def placed(forms: Sequence[Lin]) -> list[Lin]:
        left = iter(forms)
        own = [const(0) if d in dropped else next(left) for d in range(len(lows))]
        return [low + form.scaled(step) for low, form, step in zip(lows, own, steps, strict=True)]

    r.note_view(result, source, placed)


def _dropped(source: Any, result: Any, sizes: Sequence[Lin | None]) -> frozenset[int] | None:
    """The dimensions that a subview leaves out; None if its type does not say which."""
    ones = [d for d, size in enumerate(sizes) if size == const(1)]
    number = source.rank - result.rank
    if number in (0, len(ones)):
        return frozenset(ones[:number])
    return None


def transpose(r: NestReader, op: Any) -> None:
    """The same memory with its dimensions in another order."""
    results = ir.AffineMapAttr(op.attributes["permutation"]).value.results
    order = [ir.AffineDimExpr(each).position for each in results]  # the source's dimensions that the result's are

    def placed(forms: Sequence[Lin]) -> list[Lin]:
        return [form for _, form in sorted(zip(order, forms, strict=True), key=lambda pair: pair[0])]

    r.note_view(op.results[0], op.operands[0], placed)


def collapse(r: NestReader, op: Any) -> None:
    """Neighbouring dimensions as one: its subscript has a digit for each of them."""
    source = ir.MemRefType(op.operands[0].type)
    groups = _groups(op, source)
    if groups is None:
        return

    def placed(forms: Sequence[Lin]) -> list[Lin]:
        radices = [[source.shape[d] for d in group[1:]] for group in groups]
        return [digit for form, own in zip(forms, radices, strict=True) for digit in digits(form, own)]

    r.note_view(op.results[0], op.operands[0], placed)


def digits(form: Lin, radices: Sequence[int]) -> list[Lin]:
    """A form as digits, of which the first one has no end."""
    found: list[Lin] = []
    for radix in reversed(radices):
        found.insert(0, form.mod(radix))
        form = form.floordiv(radix)
    return [form, *found]


def number(given: Sequence[Lin], radices: Sequence[int]) -> Lin:
    """The form that has these digits."""
    form, *rest = given
    for digit, radix in zip(rest, radices, strict=True):
        form = form.scaled(radix) + digit
    return form


def expand(r: NestReader, op: Any) -> None:
    """A dimension as several ones: their subscripts are its digits."""
    result = ir.MemRefType(op.results[0].type)
    groups = _groups(op, result)
    if groups is None:
        return

    def placed(forms: Sequence[Lin]) -> list[Lin]:
        return [number([forms[d] for d in group], [result.shape[d] for d in group[1:]]) for group in groups]

    r.note_view(op.results[0], op.operands[0], placed)


def _groups(op: Any, several: Any) -> list[list[int]] | None:
    """The dimensions of the type that has `several` for one; None unless all but the first of each have a length."""
    groups = [[ir.IntegerAttr(d).value for d in ir.ArrayAttr(g)] for g in ir.ArrayAttr(op.attributes["reassociation"])]
    return None if any(several.is_dynamic_dim(d) for group in groups for d in group[1:]) else groups


def reinterpret(r: NestReader, op: Any) -> None:
    """The elements of one row at constant steps, in any dimensions."""
    source = ir.MemRefType(op.operands[0].type)
    (low,), sizes, strides = (_numbers(r, op, name) for name in BOX)
    steps = _constants(strides)
    plain = source.rank == 1 and source.get_strides_and_offset() == ([1], 0)
    if not plain or low is None:
        return
    if steps is None:
        _strided(r, op, low, sizes)
        return

    def placed(forms: Sequence[Lin]) -> list[Lin]:
        return [sum((form.scaled(step) for form, step in zip(forms, steps, strict=True)), low)]

    r.note_view(op.results[0], op.operands[0], placed)


def _strided(r: NestReader, op: Any, low: Lin, sizes: Sequence[Lin | None]) -> None:
    """The same at steps that are sizes or products of them: flat memory, perhaps in rows (see `flat_rows`)."""
    strides = mixed(op, "strides")
    steps = [polynomial(const(step)) if isinstance(step, int) else r.polynomial(step) for step in strides]
    known = tuple(step for step in steps if step is not None)
    if op.operands[0] in r.memory and op.operands[0] not in r.views and len(known) == len(steps):
        whole = sizes[0] is None and _counts_rows(r, mixed(op, "sizes")[0], op.operands[0], known[0])
        r.flat.strided[op.results[0]] = Strided(r.memory[op.operands[0]], polynomial(low), known, tuple(sizes), whole)


def _counts_rows(r: NestReader, value: Any, memory: Any, length: Poly) -> bool:
    """Whether an index is how many rows of a length, or of 1 if that is less, are whole in a memory."""
    parts = zip(_made_by(value, "arith.divsi"), ("memref.dim", "arith.maxsi"), strict=False)
    whole, divisor = [_made_by(*part) for part in parts] or ([], [])
    if not whole or not divisor or whole[0] != memory:
        return False
    return r.polynomial(divisor[0]) == length and r.affine(divisor[1], divisor[1].owner) == const(1)


def _made_by(value: Any, name: str) -> list[Any]:
    """The operands of the operation of that name that makes a value; none if another one does."""
    owner = maker(value, name)
    return [] if owner is None else list(owner.operands)


def _numbers(r: NestReader, op: Any, name: str) -> list[Lin | None]:
    """The offsets, sizes or strides of a part; None is none that is affine."""
    return [const(n) if isinstance(n, int) else r.affine(n, op) for n in mixed(op, name)]


def _known(forms: Sequence[Lin | None]) -> list[Lin] | None:
    """The forms, if all of them are known."""
    found = [form for form in forms if form is not None]
    return found if len(found) == len(forms) else None


def _constants(forms: Sequence[Lin | None]) -> list[int] | None:
    """The numbers that forms are, if all of them are constants."""
    known = _known(forms)
    return None if known is None or not all(form.is_const for form in known) else [form.const for form in known]


VIEWS: dict[str, Callable[[NestReader, Any], None]] = {
    "memref.cast": cast,
    "memref.subview": subview,
    "memref.transpose": transpose,
    "memref.collapse_shape": collapse,
    "memref.expand_shape": expand,
    "memref.reinterpret_cast": reinterpret,
}
