"""Control flow of StableHLO as loops and conditions of `scf`.

A loop that counts becomes `scf.for`; any other one `scf.while`. A choice between branches becomes nested conditions;
the last branch is taken for all numbers that have none, as the StableHLO specification says (`case`, `if`, `while`).

    before  stablehlo.while (%k = %zero, %t = %a) cond { stablehlo.compare LT, %k, %n } do { %k + 1, %u }
    after   scf.for %k = %zero to %n iter_args(%t = %a) -> tensor<8xf32> { scf.yield %u }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from raising.native.input.stablehlo.op_builder import Build
from raising.support.mlir.walk import maker
from raising.support.record import dataclass

_BELOW = {"LT": 0, "LE": 1}
"""Comparisons with the end of a loop that counts, and what has to be added to that."""


def case(at: Build, op: Any) -> list[Any]:
    """Write `stablehlo.case`; its results."""
    number = at.position(at.read(op.operands[0]))
    return _branch(at, op, number, 0)


def _branch(at: Build, op: Any, number: Any, first: int) -> list[Any]:
    block = op.regions[first].blocks[0]
    if first + 1 == len(op.regions):
        return at.moved(block, [])
    chosen = at.compare("eq", number, at.index(first))
    return _if(at, op, chosen, lambda b: b.moved(block, []), lambda b: _branch(b, op, number, first + 1))


def choice(at: Build, op: Any) -> list[Any]:
    """Write `stablehlo.if`; its results."""
    blocks = [region.blocks[0] for region in op.regions]
    condition = at.read(op.operands[0])
    return _if(at, op, condition, lambda b: b.moved(blocks[0], []), lambda b: b.moved(blocks[1], []))


def _if(at: Build, op: Any, condition: Any, *branches: Callable[[Build], Sequence[Any]]) -> list[Any]:
    """Write an `scf.if` with two branches; the results of the operation that it stands for."""
    kinds = _plain_types(at, op.results)
    made = at.when(condition, kinds, *(partial(_plain_results, branch) for branch in branches))
    return _cells(at, made, op.results)


def _plain_results(branch: Callable[[Build], Sequence[Any]], at: Build) -> list[Any]:
    """What a branch gives, with elements in place of tensors of rank 0."""
    return _plain(at, branch(at))


# ---- tensors of rank 0 as scalars where they are carried -----------------------------------------


def _is_cell(at: Build, value: Any) -> bool:
    return isinstance(value.type, at.ir.RankedTensorType) and value.type.rank == 0


def _plain_types(at: Build, values: Sequence[Any]) -> list[Any]:
    return [at.element(value) if _is_cell(at, value) else value.type for value in values]


def _plain(at: Build, values: Sequence[Any]) -> list[Any]:
    """Values with the element in place of a tensor of rank 0."""
    return [at.read(value) if _is_cell(at, value) else value for value in values]


def _cells(at: Build, values: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """The reverse: where `like` has a tensor of rank 0, one with the value."""
    return [at.cell(value) if _is_cell(at, old) else value for value, old in zip(values, like, strict=True)]


# ---- loops ---------------------------------------------------------------------------------------


def loop(at: Build, op: Any) -> list[Any]:
    """Write `stablehlo.while`; its results."""
    counter = _counter(at, op)
    return _while(at, op) if counter is None else _for(at, op, counter)


def _while(at: Build, op: Any) -> list[Any]:
    carried = list(op.operands)
    kinds = _plain_types(at, carried)
    made = at.ir.Operation.create("scf.while", kinds, _plain(at, carried), regions=2, ip=at.place)
    for number, (old, new) in enumerate(zip(op.regions, made.regions, strict=True)):
        block = new.blocks.append(*kinds)
        inside = Build(at.ir, at.ir.InsertionPoint(block))
        given = list(block.arguments)
        values = inside.moved(old.blocks[0], _cells(inside, given, carried))
        if number == 0:
            inside.op("scf.condition", [], [inside.read(values[0]), *given])
        else:
            inside.op("scf.yield", [], _plain(inside, values))
    return _cells(at, list(made.results), carried)


@dataclass(frozen=True)
class _Counter:
    """The counter of a loop: the value that is carried as number `number` grows by `step` while it is below `end`.

    `beyond` is added to the end, a tensor, which is in the range itself where `beyond` is 1.
    """

    number: int
    end: Any
    beyond: int
    step: int


def _counter(at: Build, op: Any) -> _Counter | None:
    """The counter of a loop that goes on as long as a value below an end is counted up; None if it is another loop."""
    condition, body = (region.blocks[0] for region in op.regions)
    test = maker(_returned(condition)[0], "stablehlo.compare")
    if test is None or any(o.operation.name not in _SIMPLE for o in condition.operations):
        return None
    direction = str(test.attributes["comparison_direction"]).split()[-1].rstrip(">")
    value, bound = test.operands
    arguments = list(condition.arguments)
    if direction not in _BELOW or value not in arguments or not _is_signed(at, value):
        return None
    number, yielded = arguments.index(value), _returned(body)
    end, step = _end(op, bound, yielded), _step(at, body.arguments[number], yielded[number])
    if end is None or step <= 0:
        return None
    counter = _Counter(number, end, _BELOW[direction], step)
    return counter if _stays_in_range(at, counter) else None


_SIMPLE = ("stablehlo.constant", "stablehlo.compare", "stablehlo.return")


def _returned(block: Any) -> list[Any]:
    """The values that a block ends with."""
    return list(block.operations[len(block.operations) - 1].operation.operands)


def _stays_in_range(at: Build, counter: _Counter) -> bool:
    """Whether a counter never passes the greatest number of its type: steps of 1 to below an end never do."""
    if counter.step == 1 and not counter.beyond:
        return True
    end = _number(at, counter.end)
    return end is not None and end + counter.beyond + counter.step < 1 << at.element(counter.end).width - 1


def _is_signed(at: Build, value: Any) -> bool:
    kind = at.element(value)
    return isinstance(kind, at.ir.IntegerType) and kind.is_signless and kind.width > 1


def _end(op: Any, value: Any, yielded: Sequence[Any]) -> Any:
    """A value of the first region that is the same for all iterations, as one before the loop; or None."""
    condition, body = (region.blocks[0] for region in op.regions)
    arguments = list(condition.arguments)
    if value in arguments:
        number = arguments.index(value)
        return op.operands[number] if yielded[number] == body.arguments[number] else None
    constant = maker(value, "stablehlo.constant")
    if constant is not None and constant.parent.operation == op:
        constant.move_before(op)
    return value


def _step(at: Build, before: Any, after: Any) -> int:
    """The constant that is added to a value, or 0."""
    added = maker(after, "stablehlo.add")
    if added is None or before not in list(added.operands):
        return 0
    left, right = added.operands
    return _number(at, right if left == before else left) or 0


def _number(at: Build, value: Any) -> int | None:
    """The integer that a constant of rank 0 is, or None."""
    constant = maker(value, "stablehlo.constant")
    if constant is None or not isinstance(at.element(value), at.ir.IntegerType):
        return None
    return int(at.ir.DenseIntElementsAttr(constant.attributes["value"])[0])


def _for(at: Build, op: Any, counter: _Counter) -> list[Any]:
    """The loop with a variable in place of the tensor that counts."""
    start = op.operands[counter.number]
    low, high = at.position(at.read(start)), at.position(at.read(counter.end))
    if counter.beyond:
        high = at.same("arith.addi", high, at.index(counter.beyond))
    number = counter.number
    carried = [value for k, value in enumerate(op.operands) if k != number]
    block = op.regions[1].blocks[0]

    def body(inside: Build, variable: Any, given: list[Any]) -> list[Any]:
        counted = inside.cell(inside.integer(variable, inside.element(start)))
        values = _cells(inside, given, carried)
        made = inside.moved(block, [*values[:number], counted, *values[number:]])
        return _plain(inside, [*made[:number], *made[number + 1 :]])

    results = at.loop(low, high, at.index(counter.step), _plain(at, carried), body)
    results = _cells(at, results, carried)
    last = at.cell(at.integer(_last(at, low, high, counter.step), at.element(start)))
    return [*results[:number], last, *results[number:]]


def _last(at: Build, low: Any, high: Any, step: int) -> Any:
    """The last value of the counter: the first number from `low` in steps that is not below `high`."""
    span = at.choose(at.compare("slt", low, high), at.same("arith.subi", high, low), at.index(0))
    steps = at.same("arith.ceildivui", span, at.index(step))  # the span may be more than a number with sign holds
    return at.same("arith.addi", low, at.same("arith.muli", steps, at.index(step)))
