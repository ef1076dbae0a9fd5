"""A number for each class of equal open extents, written into the types of a module.

What has no effects on memory and verifies with numbers in its types gets them; everything else, the signature of the
function too, stays as it is behind casts.

    before  %c = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) ...
    after   %x = tensor.cast %a : tensor<?x?xf32> to tensor<1048583x1048589xf32>, and so %y for %b
            %c = linalg.matmul ins(%x, %y : tensor<1048583x1048589xf32>, tensor<1048589x1048601xf32>) ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from raising.eqsat.extents.equal import SLICE, Extents, kept_sizes
from raising.eqsat.extents.numbering import NUMBER, Fixed, Numbering, Numbers
from raising.support.mlir.operand_segments import segmented, segments, static
from raising.support.mlir.walk import blocks_of, inside

EMPTY, CAST = "tensor.empty", "tensor.cast"


def fix_extents(module: Any, where: Any, lowered: Callable[[Any], Any]) -> Fixed:
    """Give the open extents of every function of a module numbers, in place; `lowered` lowers one operation."""
    text = str(module)
    if "?" not in text:
        return Fixed(frozenset(), frozenset(), {})
    numbers = Numbers(frozenset(NUMBER.findall(text)))
    for function in _functions(module.operation):
        _fix_block(function, function.regions[0].blocks[0], Extents(where, lowered), numbers)
    return numbers.fixed()


def _functions(op: Any) -> list[Any]:
    """The functions at the top of a module that have a body of one block."""
    found = []
    for region in op.regions:
        for child in region.blocks[0].operations if len(region.blocks) else ():
            inner = child.operation
            if "function_type" in inner.attributes and [len(r.blocks) for r in inner.regions] == [1]:
                found.append(inner)
    return found


def _fix_block(function: Any, block: Any, extents: Extents, numbers: Numbers) -> None:
    """Write numbers into the types of one block; `extents` are equal by what is demanded around it."""
    operations = [child.operation for child in block.operations]
    if not operations:
        return
    numbering = Numbering(function, extents, numbers)
    retyper = _Retyper(block, numbering)
    if any(map(retyper.is_open, operations)):
        extents.read(operations[:-1])
        numbering.write_arguments()
        numbering.write_computed(operations)
    for op in [child.operation for child in block.operations][:-1]:
        if retyper.retype(op):
            continue
        for region in op.regions:
            if [len(list(b.operations)) > 0 for b in region.blocks] == [True]:
                _fix_block(function, region.blocks[0], extents.inside(), numbers)
        retyper.cast_results(op)
    retyper.replace()


class _Retyper:
    """Writes the operations of one block once more, with numbers in their types, and then in place of the first."""

    def __init__(self, block: Any, numbering: Numbering) -> None:
        self.block, self.numbering, self.ir = block, numbering, numbering.ir
        self.fixed: dict[Any, Any] = {}
        self.copies: list[tuple[Any, Any]] = []

    def is_open(self, op: Any) -> bool:
        """Whether an operation takes or makes a tensor with an open extent."""
        return any(map(self._is_open_tensor, [*op.operands, *op.results]))

    def retype(self, op: Any) -> bool:
        """Write an operation with numbers in its types; False if it stays as it is."""
        copy = self._verified(op) if self.is_open(op) else None
        if copy is None:
            return False
        self.fixed.update(zip(op.results, copy.results, strict=True))
        self.copies.append((op, copy))
        return True

    def cast_results(self, op: Any) -> None:
        """Give others the results of an operation with numbers, behind casts."""
        for result in filter(self._is_open_tensor, op.results):
            self._cast(result, self.ir.InsertionPoint.after(op))

    def replace(self) -> None:
        """Remove the operations that have a copy; what stays reads the copies through casts."""
        gone = {hash(op) for op, _ in self.copies}
        for op, copy in reversed(self.copies):
            for old, new in zip(op.results, copy.results, strict=True):
                if any(hash(use.owner.operation) not in gone for use in old.uses):
                    point = self.ir.InsertionPoint.after(copy)
                    cast = old.type != new.type
                    old.replace_all_uses_with(self._created(CAST, [old.type], [new], point, op) if cast else new)
            op.erase()

    def _created(self, name: str, types: list[Any], operands: list[Any], point: Any, like: Any) -> Any:
        return self.ir.Operation.create(name, types, operands, ip=point, loc=like.location).results[0]

    def _is_open_tensor(self, value: Any) -> bool:
        return isinstance(value.type, self.ir.RankedTensorType) and self.numbering.extents.open(value)

    def _type(self, value: Any) -> Any:
        """The type of a value, with numbers if it is a tensor with open extents."""
        if not self._is_open_tensor(value):
            return value.type
        kind = self.ir.RankedTensorType(value.type)
        shape = [self.numbering.number(value, d) if kind.is_dynamic_dim(d) else n for d, n in enumerate(kind.shape)]
        here = self.ir.Location.unknown(value.type.context)
        return self.ir.RankedTensorType.get(shape, kind.element_type, kind.encoding, loc=here)

    def _cast(self, value: Any, at: Any) -> None:
        here = self.ir.Location.unknown(value.type.context)
        cast = self.ir.Operation.create(CAST, [self._type(value)], [value], ip=at, loc=here)
        self.fixed[value] = cast.results[0]

    def _with_number(self, value: Any) -> Any:
        """A value that is used here; one from outside of the block, or an argument of it, gets its cast here."""
        if value not in self.fixed and self._is_open_tensor(value):
            self._cast(value, self.ir.InsertionPoint.at_block_begin(self.block))
        return self.fixed.get(value, value)

    def _verified(self, op: Any) -> Any:
        """A copy with numbers in its types; None if MLIR takes none."""
        if op.name == CAST or "sym_name" in op.attributes:
            return None
        copy = None
        try:
            copy = self._copied(op, [self._type(result) for result in op.results])
            if copy.verify():
                return copy
        except (self.ir.MLIRError, ValueError):
            pass
        if copy is not None:
            copy.erase()
        return None

    def _copied(self, op: Any, types: list[Any]) -> Any:
        point = self.ir.InsertionPoint(op)
        if op.name == EMPTY:
            return self.ir.Operation.create(EMPTY, types, [], ip=point, loc=op.location)
        kept = kept_sizes(self.ir, op) if op.name == SLICE else None
        if kept is not None:
            return self._slice(op, types, kept, point)
        copy = op.clone(ip=point)
        operations = [copy, *inside(copy)]
        own = {v for inner in operations for v in inner.results}
        own |= {a for inner in operations for b in blocks_of(inner) for a in b.arguments}
        for inner in operations:
            for k, value in enumerate(inner.operands):
                if value not in own:
                    inner.operands[k] = self._with_number(value)
        for result, kind in zip(copy.results, types, strict=True):
            result.set_type(kind)
        return copy

    def _slice(self, op: Any, types: list[Any], kept: tuple[int, ...], point: Any) -> Any:
        """A slice whose sizes are the extents of its result."""
        (source,), offsets, _, strides = segments(op)
        sizes, shape = static(op, "sizes"), self.ir.RankedTensorType(types[0]).shape
        for place, extent in zip(kept, shape, strict=True):
            sizes[place] = extent
        given = {name: op.attributes[name] for name in op.attributes}
        given |= segmented(self.ir, 1, len(offsets), 0, len(strides), context=op.context)
        given["static_sizes"] = self.ir.DenseI64ArrayAttr.get(sizes, op.context)
        operands = [self._with_number(source), *offsets, *strides]
        return self.ir.Operation.create(op.name, types, operands, given, ip=point, loc=op.location)
