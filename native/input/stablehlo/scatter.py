"""`stablehlo.scatter` as loops over the elements of the updates, in their order.

A window that does not lie in the operand as a whole is left out, as XLA has it. (By the specification, single elements
of it are; both are the same where windows are single elements or span the operand.)

    before  %r = "stablehlo.scatter"(%a, %at, %u) ({ stablehlo.add %x, %y })
    after   scf.for %k iter_args(%t = %a) {
              %p = tensor.extract %at[%k, 0]
              scf.if %p_is_inside { tensor.insert (the element of %t at %p, plus %u[%k]) into %t[%p] } else { %t }
"""

from __future__ import annotations

from typing import Any

from raising.native.input.stablehlo.op_builder import Build
from raising.support.record import dataclass


@dataclass(frozen=True)
class _Numbers:
    """The dimension numbers of a scatter, by the names of the specification."""

    window: list[int]
    inserted: list[int]
    batching: list[int]
    index_batching: list[int]
    to_operand: list[int]
    vector: int


def scatter(at: Build, op: Any) -> list[Any]:
    """The operands with the updates combined into them."""
    count = (len(op.operands) - 1) // 2
    inputs, indices, updates = op.operands[:count], op.operands[count], op.operands[count + 1 :]
    work = _Scatter(_numbers(op.attributes["scatter_dimension_numbers"]), list(inputs), indices, list(updates), op)
    scattered = [d for d in range(updates[0].type.rank) if d not in work.numbers.window]
    return at.nest([at.extent(updates[0], d) for d in scattered], list(inputs), work.window)


def _numbers(attribute: Any) -> _Numbers:
    from jaxlib.mlir.dialects.stablehlo import ScatterDimensionNumbers

    given = ScatterDimensionNumbers(attribute)
    return _Numbers(
        list(given.update_window_dims),
        list(given.inserted_window_dims),
        list(given.input_batching_dims),
        list(given.scatter_indices_batching_dims),
        list(given.scattered_dims_to_operand_dims),
        int(given.index_vector_dim),
    )


class _Scatter:
    """One scatter: its dimension numbers and its operands."""

    def __init__(self, numbers: _Numbers, inputs: list[Any], indices: Any, updates: list[Any], op: Any) -> None:
        self.numbers, self.inputs, self.indices, self.updates = numbers, inputs, indices, updates
        self.block = op.regions[0].blocks[0]
        self.rank = inputs[0].type.rank
        hidden = {*numbers.inserted, *numbers.batching}
        self.window_of = dict(zip((d for d in range(self.rank) if d not in hidden), numbers.window, strict=True))

    def window(self, at: Build, where: list[Any], given: list[Any]) -> list[Any]:
        """The tensors with one window of updates in them, if it lies in the operand."""
        start = [self._start(at, d, where) for d in range(self.rank)]
        inside = at.compare("eq", at.index(0), at.index(0))
        for dim in self.numbers.to_operand:
            size = at.extent(self.updates[0], self.window_of[dim]) if dim in self.window_of else at.index(1)
            last = at.same("arith.subi", at.extent(self.inputs[0], dim), size)
            for test in (at.compare("sge", start[dim], at.index(0)), at.compare("sle", start[dim], last)):
                inside = at.same("arith.andi", inside, test)
        kinds = [value.type for value in given]
        return at.when(inside, kinds, lambda b: self._elements(b, where, start, given), lambda _: given)

    def _start(self, at: Build, dim: int, where: list[Any]) -> Any:
        """Where windows begin in a dimension of the operand."""
        numbers = self.numbers
        if dim in numbers.to_operand:
            position = list(where)
            if numbers.vector < self.indices.type.rank:
                position.insert(numbers.vector, at.index(numbers.to_operand.index(dim)))
            return at.position(at.read(self.indices, *position))
        if dim in numbers.batching:
            among = numbers.index_batching[numbers.batching.index(dim)]
            return where[among - (numbers.vector < among)]
        return at.index(0)

    def _elements(self, at: Build, where: list[Any], start: list[Any], given: list[Any]) -> list[Any]:
        extents = [at.extent(self.updates[0], d) for d in self.numbers.window]

        def element(b: Build, offsets: list[Any], tensors: list[Any]) -> list[Any]:
            place = list(where)
            for dim, offset in sorted(zip(self.numbers.window, offsets, strict=True), key=lambda pair: pair[0]):
                place.insert(dim, offset)
            target = [self._target(b, d, start[d], offsets) for d in range(self.rank)]
            scalars = [*(b.read(t, *target) for t in tensors), *(b.read(u, *place) for u in self.updates)]
            values = b.combined(self.block, scalars)
            return [b.written(v, t, *target) for v, t in zip(values, tensors, strict=True)]

        return at.nest(extents, given, element)

    def _target(self, at: Build, dim: int, start: Any, offsets: list[Any]) -> Any:
        if dim not in self.window_of:
            return start
        return at.same("arith.addi", start, offsets[self.numbers.window.index(self.window_of[dim])])
