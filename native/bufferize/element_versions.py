"""Versions of a tensor that differ in single elements: reads of them become reads of the tensor they all come from.

A program that updates a table element by element, and selects between updates, has many versions of the table at once;
each would need memory of its own. An element read from a version is either the one that was stored last, or the same
as in the version before. A selection between two updates of one tensor is one update with a selected element. Then only
one version is left, and it stays in place.

    before  %u = tensor.insert %x into %t[%i]
            %y = tensor.extract %u[%j]
    after   %u = tensor.insert %x into %t[%i]
            %e = tensor.extract %t[%j]
            %y = arith.select %i_is_j, %x, %e
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from mlir import ir
from mlir.dialects import arith, tensor

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.nest.read_views import Reader
from raising.support.mlir.operand_segments import BOX, mixed
from raising.support.mlir.walk import maker, operations
from raising.support.record import dataclass

_INSERT, _SELECT, _EXTRACT, _SLICE = "tensor.insert", "arith.select", "tensor.extract", "tensor.extract_slice"
_DEEP = 6
"""Versions that one read looks through, at most: each choice doubles what is written."""


def resolve_elements(module: Any) -> bool:
    """Rewrite a module of tensor operations in place; whether there was anything to do."""
    found = {name: named(module, name) for name in (_INSERT, _SELECT, _EXTRACT, _SLICE)}
    if not found[_INSERT]:
        return False
    versions = Versions()
    for op in found[_EXTRACT]:
        versions.resolve(op)
    for op in found[_SLICE]:
        op.operands[0] = versions.behind(op.operands[0], versions.region(op))
    for op in found[_SELECT]:
        versions.join(op)
    for op in reversed(operations(module, lambda op: op.name in (_INSERT, _SLICE), outer_first=True)):
        _sink(op)
    return True


def named(module: Any, name: str) -> list[Any]:
    """The operations of a name, in order."""
    return operations(module, lambda op: op.name == name, outer_first=True)


def _sink(op: Any) -> None:
    """Move an update, or a slice of it, behind what may still read the version before it: to its first use."""
    users = [use.owner.operation for use in op.results[0].uses]
    if users and all(user.block == op.block for user in users):
        first = users[0]
        for user in users[1:]:
            first = user if user.is_before_in_block(first) else first
        op.move_before(first)


Region = tuple[tuple[Affine, tuple[Affine, ...]], ...]
"""Per dimension of a tensor where a part begins, and extents of which the largest is its own."""


@dataclass
class Versions:
    """The tensors of a module and their versions: `reader` has the index values as expressions."""

    reader: Reader = field(default_factory=Reader)

    def resolve(self, op: Any) -> None:
        """Put the element itself, or a read of an earlier version, in place of a read."""
        source, *indices = op.operands
        if maker(source, _INSERT) or maker(source, _SELECT):
            with ir.InsertionPoint(op), op.location:
                found = self._element(source, indices, _DEEP)
            op.results[0].replace_all_uses_with(found)
            op.erase()

    def _element(self, source: Any, indices: list[Any], depth: int) -> Any:
        insert, select = maker(source, _INSERT), maker(source, _SELECT)
        if depth and insert is not None:
            return self._after(insert, indices, depth)
        if depth and select is not None:
            condition, one, two = select.operands
            found = [self._element(value, indices, depth - 1) for value in (one, two)]
            return found[0] if found[0] == found[1] else arith.SelectOp(condition, *found).result
        return tensor.ExtractOp(source, indices).result

    def _after(self, insert: Any, indices: list[Any], depth: int) -> Any:
        """An element of a version that an update made."""
        value, before, *places = insert.operands
        apart = [self.reader.index(one) - self.reader.index(two) for one, two in zip(places, indices, strict=True)]
        if any(distance.is_constant and distance.constant for distance in apart):
            return self._element(before, indices, depth)
        open_ = [k for k, distance in enumerate(apart) if not distance.is_constant]
        if not open_:
            return value
        same = [arith.CmpIOp(arith.CmpIPredicate.eq, places[k], indices[k]).result for k in open_]
        meets = same[0]
        for each in same[1:]:
            meets = arith.AndIOp(meets, each).result
        return arith.SelectOp(meets, value, self._element(before, indices, depth - 1)).result

    def region(self, op: Any) -> Region | None:
        """The elements that a slice reads, or an update of one replaces; None if not every element between its ends."""
        offsets, sizes, strides = (
            [(Affine(n),) if isinstance(n, int) else self._largest(n) for n in mixed(op, name)] for name in BOX
        )
        if any(stride != (Affine(1),) for stride in strides) or any(len(offset) > 1 for offset in offsets):
            return None
        return tuple((offset[0], size) for offset, size in zip(offsets, sizes, strict=True))

    def _largest(self, value: Any) -> tuple[Affine, ...]:
        """Expressions whose maximum an index value is."""
        most = maker(value, "arith.maxsi")
        if most is None:
            return (self.reader.index(value),)
        return tuple(each for operand in most.operands for each in self._largest(operand))

    def behind(self, value: Any, region: Region | None) -> Any:
        """The earliest version of a tensor that is the same in a region."""
        insert, select = maker(value, _INSERT), maker(value, _SELECT)
        if region is None:
            return value
        if insert is not None:
            outside = self._outside(list(insert.operands)[2:], region)
            return self.behind(insert.operands[1], region) if outside else value
        if select is not None:
            one, two = (self.behind(each, region) for each in list(select.operands)[1:])
            return one if one == two else value
        return value

    def _outside(self, places: list[Any], region: Region) -> bool:
        """Whether an element is not in a region, by the bounds of the loops around."""
        for place, (start, sizes) in zip(places, region, strict=True):
            index = self.reader.index(place)
            if self.never_negative(start - index - 1):
                return True
            if all(self.never_negative(index - start - size) for size in sizes):
                return True
        return False

    def never_negative(self, value: Affine) -> bool:
        """Whether an expression is at least 0, since indices of loops are not below their first value."""
        for _ in range(_DEEP):
            moved = value.substitute(
                {term: start for term, _ in value.terms if (start := self._from(term)) is not None}
            )
            if moved == value:
                break
            value = moved
        return value.constant >= 0 and all(factor > 0 and self._counts(term) for term, factor in value.terms)

    def _from(self, term: Term) -> Affine | None:
        """The index of a loop as its first value and a number that is not negative."""
        value = self.reader.values.get(term) if isinstance(term, str) else None
        if value is None or not isinstance(value.owner, ir.Block):
            return None
        loop = value.owner.owner
        if loop is None or loop.operation.name != "scf.for" or value != value.owner.arguments[0]:
            return None
        return self.reader.index(loop.operation.operands[0]) + dim(f"{term}+")

    def _counts(self, term: Term) -> bool:
        return isinstance(term, str) and term.endswith("+")

    def join(self, op: Any) -> None:
        """One update in place of a choice between two updates of the same tensor."""
        condition, *sides = op.operands
        inserts = [maker(side, _INSERT) for side in sides]
        before = {insert.operands[1] if insert else side for insert, side in zip(inserts, sides, strict=True)}
        if len(before) != 1 or not isinstance(op.results[0].type, ir.RankedTensorType):
            return
        (base,) = before
        known = next(insert for insert in inserts if insert)
        with ir.InsertionPoint(op), op.location:
            places = [list((insert or known).operands)[2:] for insert in inserts]
            values = [
                insert.operands[0] if insert else tensor.ExtractOp(base, there).result
                for insert, there in zip(inserts, places, strict=True)
            ]
            chosen = [self._chosen(condition, one, two) for one, two in zip(*places, strict=True)]
            joined = tensor.InsertOp(self._chosen(condition, *values), base, chosen).result
        op.results[0].replace_all_uses_with(joined)
        op.erase()

    def _chosen(self, condition: Any, one: Any, two: Any) -> Any:
        return one if one == two else arith.SelectOp(condition, one, two).result
