"""The numbers that stand for extents taken out of a module again."""

from __future__ import annotations

from typing import Any

from raising.eqsat.extents.fix import CAST, EMPTY
from raising.eqsat.extents.numbering import ASKING, LEAST, NUMBER, OPENED, Fixed, extents_of_arguments, size_of
from raising.support.mlir.branches import replace_op
from raising.support.mlir.operand_segments import SEGMENTS, segment_sizes, segmented
from raising.support.mlir.walk import inside

_SIZED = ("static_sizes", "static_output_shape")


class StillFixed(Exception):
    """A number that stands for an extent is in a place where only numbers can be."""


def reopen_extents(module: Any, where: Any, fixed: Fixed) -> None:
    """Make the extents of a module open again, in place; `StillFixed` if some operation cannot be written so."""
    for function in [op for op in inside(module) if OPENED in op.attributes and "sym_name" in op.attributes]:
        _Opener(function, where, fixed).open()
    try:
        good = module.operation.verify()
    except where.MLIRError as error:
        raise StillFixed(str(error).splitlines()[0]) from error
    left = {n for n in NUMBER.findall(str(module)) if n not in fixed.before and int(n) >= LEAST // 2}
    if left or not good:
        raise StillFixed("an operation needs an extent as a number")


class _Opener:
    """Opens the extents of one function."""

    def __init__(self, function: Any, where: Any, fixed: Fixed) -> None:
        self.function, self.ir, self.numbers = function, where, fixed.numbers
        (self.block,) = function.regions[0].blocks
        self.sizes: dict[int, Any] = {}

    def open(self) -> None:
        """Rewrite all that has a number in it."""
        operations = inside(self.function)
        self._sizes(operations)
        for op in operations:
            self._operation(op)
        for op in inside(self.function):
            if op.name == CAST and op.operands[0].type == op.results[0].type:
                replace_op(op, op.operands)
        for op in reversed(inside(self.function)):
            if op.name in ASKING and next(iter(op.results[0].uses), None) is None:
                _erase_asked(op)

    def _sizes(self, operations: list[Any]) -> None:
        """Where each extent is a number of the program."""
        first = self.ir.InsertionPoint.at_block_begin(self.block)
        for code, argument, dim in extents_of_arguments(self.function):
            self.sizes[code] = size_of(self.ir, self.block.arguments[argument], dim, first, self.function)
        del self.function.attributes[OPENED]
        for op in operations:
            if OPENED in op.attributes:
                self.sizes.setdefault(self.ir.IntegerAttr(op.attributes[OPENED]).value, op.results[0])
                del op.attributes[OPENED]

    def _operation(self, op: Any) -> None:
        if not any(self._has_number(r.type) for r in op.results):
            return
        if op.name == EMPTY or op.name == "arith.constant":
            self._made_again(op)
            return
        if any(name in op.attributes for name in _SIZED):
            self._sized(op)
            return
        for result in op.results:
            if self._has_number(result.type):
                result.set_type(self._opened(result.type))

    def _has_number(self, kind: Any) -> bool:
        return isinstance(kind, self.ir.RankedTensorType) and any(
            n in self.numbers for n in self.ir.RankedTensorType(kind).shape
        )

    def _opened(self, kind: Any) -> Any:
        tensor = self.ir.RankedTensorType(kind)
        unknown = self.ir.ShapedType.get_dynamic_size()
        shape = [unknown if n in self.numbers else n for n in tensor.shape]
        here = self.ir.Location.unknown(kind.context)
        return self.ir.RankedTensorType.get(shape, tensor.element_type, tensor.encoding, loc=here)

    def _given(self, numbers: Any) -> list[Any]:
        """The operands for those of some numbers that are extents."""
        missing = [n for n in numbers if n in self.numbers and n not in self.sizes]
        if missing:
            raise StillFixed("an extent is nowhere computed")
        return [self.sizes[n] for n in numbers if n in self.numbers]

    def _made_again(self, op: Any) -> None:
        """A tensor that nobody has written, or one with the same number everywhere."""
        kind, point = op.results[0].type, self.ir.InsertionPoint(op)
        sizes = self._given(self.ir.RankedTensorType(kind).shape)
        opened = self._opened(kind)
        made = self.ir.Operation.create(EMPTY, [opened], sizes, ip=point, loc=op.location)
        if op.name != EMPTY:
            made = self._filled(op, made, point)
        replace_op(op, made.results)

    def _filled(self, op: Any, into: Any, point: Any) -> Any:
        value = op.attributes["value"]
        if not isinstance(value, self.ir.DenseElementsAttr) or not self.ir.DenseElementsAttr(value).is_splat:
            raise StillFixed("a constant has an open extent")
        one = self.ir.DenseElementsAttr(value).get_splat_value()
        scalar = self.ir.Operation.create(
            "arith.constant", [one.type], attributes={"value": one}, ip=point, loc=op.location
        )
        made = self.ir.Operation.create(
            "linalg.fill",
            [into.results[0].type],
            [scalar.results[0], into.results[0]],
            segmented(self.ir, 1, 1, context=op.context),
            regions=1,
            ip=point,
            loc=op.location,
        )
        block = made.regions[0].blocks.append(one.type, one.type, arg_locs=[op.location] * 2)
        inside = self.ir.InsertionPoint(block)
        self.ir.Operation.create("linalg.yield", [], [block.arguments[0]], ip=inside, loc=op.location)
        return made

    def _sized(self, op: Any) -> None:
        """An operation that has sizes both as numbers and as operands."""
        name = next(n for n in _SIZED if n in op.attributes)
        numbers = list(self.ir.DenseI64ArrayAttr(op.attributes[name]))
        unknown = self.ir.ShapedType.get_dynamic_size()
        if unknown in numbers:
            raise StillFixed("some sizes are open already")
        sizes = self._given(numbers)
        operands = list(op.operands)
        given = {a: op.attributes[a] for a in op.attributes}
        shown = ", ".join(str(unknown if n in self.numbers else n) for n in numbers)
        given[name] = self.ir.Attribute.parse(f"array<i64: {shown}>", op.context)
        if SEGMENTS in op.attributes:
            counts = segment_sizes(op)
            place = sum(counts[:-1])  # sizes stand before strides, which are numbers here
            counts[-2] += len(sizes)
            operands[place:place] = sizes
            given |= segmented(self.ir, *counts, context=op.context)
        else:
            operands += sizes
        types = [self._opened(r.type) if self._has_number(r.type) else r.type for r in op.results]
        point = self.ir.InsertionPoint(op)
        made = self.ir.Operation.create(op.name, types, operands, given, ip=point, loc=op.location)
        replace_op(op, made.results)


def _erase_asked(op: Any) -> None:
    """Erase a size that nothing uses, with the number of its dimension."""
    number = op.operands[1]
    op.erase()
    if next(iter(number.uses), None) is None and not hasattr(number, "arg_number"):
        number.owner.erase()
