"""`scf.while` loops that count: their condition compares a counter with a bound, and each iteration adds to it."""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin, const
from raising.frontend.mlir.attributes import Refusal, location
from raising.frontend.mlir.loop_nest import NestReader

_BELOW, _UP_TO = 2, 3  # predicates of arith.cmpi: slt, sle


def counting_while(r: NestReader, op: Any) -> None:
    """A loop from the counter's first value to the bound; what else the loop carries are cells."""
    before, after = (region.blocks[0] for region in op.regions)
    place, bound, more = _counter(r, op, before)
    step = _step(r, op, after, place)
    low = r.form_of(op.operands[place], op)
    others = [k for k in range(len(op.operands)) if k != place]
    if len(list(op.results[place].uses)):
        raise _refusal(r, op)
    cells = r.carry([op.operands[k] for k in others], op)
    last = after.operations[len(after.operations) - 1].operation

    def body() -> None:
        for k, cell in zip(others, cells, strict=True):
            r.data[after.arguments[k]] = r.load(cell, (), location(op))
        for inner in list(after.operations)[:-1]:
            r.read(inner.operation)
        names = [r.name_of(last.operands[k], op) for k in others]
        for cell, name in zip(cells, names, strict=True):
            r.store(cell, (), name, location(op))

    high = r.form_of(bound, op) + const(more)
    r.loop(after.arguments[place], ((low,), (high,), step), body, op)
    for k, cell in zip(others, cells, strict=True):
        r.data[op.results[k]] = r.load(cell, (), location(op))


def _refusal(r: NestReader, op: Any) -> Refusal:
    why = "loops while a condition on data holds" if r.depth else "it is not a static-control loop (scf.while)"
    return Refusal(location(op), why)


def _counter(r: NestReader, op: Any, before: Any) -> tuple[int, Any, int]:
    """Which argument counts, the bound, and what is added to it to be exclusive."""
    inner = [each.operation for each in before.operations]
    test, end = inner[0], inner[-1]
    if len(inner) != 2 or test.name != "arith.cmpi" or list(end.operands) != [test.results[0], *before.arguments]:
        raise _refusal(r, op)
    predicate = ir.IntegerAttr(test.attributes["predicate"]).value
    counter, bound = test.operands
    places = [k for k, argument in enumerate(before.arguments) if argument == counter]
    if predicate not in (_BELOW, _UP_TO) or not places or any(bound == each for each in before.arguments):
        raise _refusal(r, op)
    return places[0], bound, predicate - _BELOW


def _step(r: NestReader, op: Any, after: Any, place: int) -> int:
    """What an iteration adds to the counter."""
    operations = [each.operation for each in after.operations]
    next_ = operations[-1].operands[place]
    found = next((each for each in operations if any(next_ == v for v in each.results)), None)
    counter = after.arguments[place]
    if found is None or found.name != "arith.addi" or not any(v == counter for v in found.operands):
        raise _refusal(r, op)
    step = next((v for v in found.operands if v != counter), counter)
    form = r.form_of(step, op) if step != counter and step.owner not in operations else None
    if not isinstance(form, Lin) or not form.is_const or form.const <= 0:
        raise _refusal(r, op)
    return form.const
