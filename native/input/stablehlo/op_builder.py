"""Operations on tensors, scalars and positions, written where a StableHLO operation stands, in jaxlib's MLIR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raising.support.mlir.op_writer import OpWriter


class Build(OpWriter):
    """Writes operations on tensors, loops and branches."""

    def choose(self, condition: Any, one: Any, other: Any) -> Any:
        """A selection of one of two values."""
        return self.op("arith.select", [one.type], [condition, one, other])[0]

    def read(self, tensor: Any, *positions: Any) -> Any:
        """Write the read of an element; its value."""
        return self.op("tensor.extract", [self.element(tensor)], [tensor, *positions])[0]

    def written(self, value: Any, tensor: Any, *positions: Any) -> Any:
        """A tensor with another element."""
        return self.op("tensor.insert", [tensor.type], [value, tensor, *positions])[0]

    def cell(self, value: Any) -> Any:
        """A tensor of rank 0."""
        return self.op("tensor.from_elements", [self.ir.RankedTensorType.get([], value.type)], [value])[0]

    def element(self, tensor: Any) -> Any:
        """The type of a tensor's elements."""
        return self.ir.RankedTensorType(tensor.type).element_type

    def extent(self, tensor: Any, dim: int) -> Any:
        """The extent of a tensor along a dimension."""
        kind = self.ir.RankedTensorType(tensor.type)
        if not kind.is_dynamic_dim(dim):
            return self.index(kind.get_dim_size(dim))
        return self.op("tensor.dim", [self.ir.IndexType.get()], [tensor, self.index(dim)])[0]

    def position(self, value: Any) -> Any:
        """An integer as a position; one without sign keeps its value."""
        kind = self.ir.IntegerType(value.type)
        name = "arith.index_cast"
        if kind.is_unsigned or kind.width == 1:
            name = "arith.index_castui"
            value = self.op("builtin.unrealized_conversion_cast", [self.signless(kind)], [value])[0]
        return self.op(name, [self.ir.IndexType.get()], [value])[0]

    def integer(self, position: Any, kind: Any) -> Any:
        """A position as an integer of a type."""
        value = self.op("arith.index_cast", [self.signless(kind)], [position])[0]
        if value.type == kind:
            return value
        return self.op("builtin.unrealized_conversion_cast", [kind], [value])[0]

    def zero(self, element: Any) -> Any:
        """The attribute of a tensor of rank 0 that holds zero."""
        text = "0" if isinstance(element, self.ir.IntegerType) else "0.0"
        text = "false" if str(element) == "i1" else text
        return self.ir.Attribute.parse(f"dense<{text}> : tensor<{element}>")

    def signless(self, kind: Any) -> Any:
        """The integers of as many bits."""
        return self.ir.IntegerType.get_signless(self.ir.IntegerType(kind).width)

    def loop(
        self,
        low: Any,
        high: Any,
        step: Any,
        carried: Sequence[Any],
        body: Callable[[Build, Any, list[Any]], Sequence[Any]],
    ) -> list[Any]:
        """`scf.for`; `body` takes the variable and what is carried, and gives what is carried on."""
        kinds = [value.type for value in carried]
        made = self.ir.Operation.create("scf.for", kinds, [low, high, step, *carried], regions=1, ip=self.place)
        block = made.regions[0].blocks.append(self.ir.IndexType.get(), *kinds)
        variable, *given = block.arguments
        inside = Build(self.ir, self.ir.InsertionPoint(block))
        inside.op("scf.yield", [], body(inside, variable, given))
        return list(made.results)

    def nest(
        self,
        extents: Sequence[Any],
        carried: Sequence[Any],
        body: Callable[[Build, list[Any], list[Any]], Sequence[Any]],
    ) -> list[Any]:
        """One loop in another, from 0 to each extent."""

        def within(at: Build, done: list[Any], given: Sequence[Any]) -> Sequence[Any]:
            if len(done) == len(extents):
                return body(at, done, list(given))
            zero, one = at.index(0), at.index(1)
            return at.loop(zero, extents[len(done)], one, given, lambda b, i, c: within(b, [*done, i], c))

        return list(within(self, [], carried))

    def when(self, condition: Any, kinds: Sequence[Any], *branches: Callable[[Build], Sequence[Any]]) -> list[Any]:
        """`scf.if` with two branches, each of which gives the results."""
        made = self.ir.Operation.create("scf.if", list(kinds), [condition], regions=2, ip=self.place)
        for region, branch in zip(made.regions, branches, strict=True):
            inside = Build(self.ir, self.ir.InsertionPoint(region.blocks.append()))
            inside.op("scf.yield", [], branch(inside))
        return list(made.results)

    def moved(self, block: Any, values: Sequence[Any]) -> list[Any]:
        """The operations of a block at this place, with values for its arguments; what it returned."""
        for argument, value in zip(block.arguments, values, strict=True):
            argument.replace_all_uses_with(value)
        *operations, last = list(block.operations)
        for op in operations:
            op.operation.detach_from_parent()
            self.place.insert(op)
        returned = list(last.operation.operands)
        last.operation.erase()
        return returned

    def combined(self, block: Any, scalars: Sequence[Any]) -> list[Any]:
        """The scalars that a block which works on tensors of rank 0 makes of scalars."""
        return [self.read(value) for value in self.moved(block, [self.cell(scalar) for scalar in scalars])]
