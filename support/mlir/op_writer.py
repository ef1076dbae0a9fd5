"""Operations written one after the other at a place of a module, by the bindings that the module is of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raising.support.record import dataclass

_PREDICATES = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sge": 5, "ule": 7}
"""Of `arith.cmpi`, as far as somebody asks."""


@dataclass
class OpWriter:
    """Writes at an insertion point; without one, at the current one of MLIR's context."""

    ir: Any
    place: Any = None

    def op(self, name: str, kinds: Sequence[Any], operands: Sequence[Any] = (), **attributes: Any) -> Any:
        """The results of an operation, which have these types."""
        return self.ir.Operation.create(name, list(kinds), list(operands), attributes=attributes, ip=self.place).results

    def one(self, name: str, kind: Any, *operands: Any) -> Any:
        """The result of an operation that has one, of this type."""
        return self.op(name, [kind], operands)[0]

    def same(self, name: str, *operands: Any) -> Any:
        """The result of an operation, which has the type of its first operand."""
        return self.one(name, operands[0].type, *operands)

    def attribute(self, value: Any) -> Any:
        """A constant that is an attribute with a type."""
        return self.op("arith.constant", [value.type], value=value)[0]

    def constant(self, kind: Any, value: int) -> Any:
        """A constant of an integer type or an index."""
        return self.attribute(self.ir.IntegerAttr.get(kind, value))

    def index(self, value: int) -> Any:
        """A constant index."""
        return self.constant(self.ir.IndexType.get(), value)

    def compare(self, predicate: str, left: Any, right: Any) -> Any:
        """The truth value of `eq` or `ne`, of `slt`, `sle` or `sge` with signs, or of `ule` without."""
        code = self.ir.IntegerAttr.get(self.ir.IntegerType.get_signless(64), _PREDICATES[predicate])
        return self.op("arith.cmpi", [self.ir.IntegerType.get_signless(1)], [left, right], predicate=code)[0]
