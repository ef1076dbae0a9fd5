"""The place of one call of BLAS: the operations that make its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir

ROW_MAJOR, AS_IT_IS, TRANSPOSED = 101, 111, 112
UPPER, LOWER, NON_UNIT, UNIT, LEFT, RIGHT = 121, 122, 131, 132, 141, 142

BYTES = {"f32": 4, "f64": 8}
_LETTERS = {"f32": "s", "f64": "d"}
_PREDICATES = {"eq": 0, "sge": 5, "ule": 7}  # of arith.cmpi
_UNORDERED_OR_NOT_EQUAL = 13  # of arith.cmpf


class Site:
    """Writes operations into a module, before another one; `bits` are those of BLAS's integers."""

    def __init__(self, module: Any, element: str, bits: int, before: Any) -> None:
        self.module, self.element, self.bits, self.before = module, element, bits, before
        self.index, self.float = ir.IndexType.get(), ir.Type.parse(element)
        self.flag, self.integer = (ir.IntegerType.get_signless(width) for width in (32, bits))
        self.truth = ir.IntegerType.get_signless(1)

    def op(self, name: str, kinds: Sequence[Any], operands: Sequence[Any], **attributes: Any) -> Any:
        """The results of a new operation."""
        return self._make(name, kinds, operands, attributes).results

    def _make(self, name: str, kinds: Sequence[Any], operands: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        place = ir.InsertionPoint(self.before)
        return ir.Operation.create(name, list(kinds), list(operands), attributes=dict(attributes), ip=place)

    def number(self, value: int) -> Any:
        """A constant index."""
        return self.op("arith.constant", [self.index], [], value=ir.IntegerAttr.get(self.index, value))[0]

    def real(self, value: float) -> Any:
        """A constant of the element type."""
        return self.op("arith.constant", [self.float], [], value=ir.FloatAttr.get(self.float, value))[0]

    def choice(self, value: int) -> Any:
        """A constant of one of BLAS's enumerations."""
        return self.op("arith.constant", [self.flag], [], value=ir.IntegerAttr.get(self.flag, value))[0]

    def count(self, index: Any) -> Any:
        """An index as an integer of BLAS."""
        return self.op("arith.index_cast", [self.integer], [index])[0]

    def compare(self, predicate: str, left: Any, right: Any) -> Any:
        """`eq`, `sge`, or without sign `ule` of two indices."""
        code = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _PREDICATES[predicate])
        return self.op("arith.cmpi", [self.truth], [left, right], predicate=code)[0]

    def not_zero(self, value: Any) -> Any:
        """Whether a float is not 0; NaN is not."""
        code = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _UNORDERED_OR_NOT_EQUAL)
        return self.op("arith.cmpf", [self.truth], [value, self.real(0.0)], predicate=code)[0]

    def all(self, tests: Sequence[Any]) -> Any:
        """Whether all of these hold."""
        whole = tests[0]
        for test in tests[1:]:
            (whole,) = self.op("arith.andi", [self.truth], [whole, test])
        return whole

    def layout(self, array: Any) -> list[Any]:
        """Offset, sizes and strides of an array."""
        kind = array.type
        base = ir.MemRefType.get([], kind.element_type)
        return list(self.op("memref.extract_strided_metadata", [base, *[self.index] * (1 + 2 * kind.rank)], [array]))[
            1:
        ]

    def address(self, array: Any, offset: Any) -> Any:
        """The address of the element that is so far from where an array's memory starts."""
        (start,) = self.op("memref.extract_aligned_pointer_as_index", [self.index], [array])
        (bytes_,) = self.op("arith.muli", [self.index], [offset, self.number(BYTES[self.element])])
        (address,) = self.op("arith.addi", [self.index], [start, bytes_])
        (number,) = self.op("arith.index_cast", [ir.IntegerType.get_signless(64)], [address])
        return self.op("llvm.inttoptr", [ir.Type.parse("!llvm.ptr")], [number])[0]

    def countable(self, number: Any, largest: int) -> Any:
        """Whether an index is from 1 to a number."""
        (less,) = self.op("arith.subi", [self.index], [number, self.number(1)])
        return self.compare("ule", less, self.number(largest - 1))

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        """A call of a function without results, which is declared if it is not yet."""
        known = {ir.StringAttr(op.attributes["sym_name"]).value for op in self.module.body.operations}
        if name not in known:
            kind = ir.TypeAttr.get(ir.FunctionType.get([argument.type for argument in arguments], []))
            attributes = {"sym_name": ir.StringAttr.get(name), "function_type": kind}
            attributes["sym_visibility"] = ir.StringAttr.get("private")
            place = ir.InsertionPoint.at_block_begin(self.module.body)
            ir.Operation.create("func.func", attributes=attributes, regions=1, ip=place)
        return self._make("func.call", [], arguments, {"callee": ir.FlatSymbolRefAttr.get(name)})

    def either(self, condition: Any, other: Any) -> Any:
        """A choice between what is written from now on, and another operation, which is moved."""
        choice = ir.Operation.create("scf.if", [], [condition], regions=2, ip=ir.InsertionPoint(self.before))
        yes, no = (region.blocks.append() for region in choice.regions)
        ends = [ir.Operation.create("scf.yield", ip=ir.InsertionPoint(block)) for block in (yes, no)]
        other.move_before(ends[1])
        self.before = ends[0]
        return choice


def routine(name: str, element: str) -> str:
    """The name of a routine of BLAS in its C interface, without what a library adds to it."""
    return f"cblas_{_LETTERS[element]}{name}"
