"""Loops that are no `for`: parallel ones, with what they reduce, and `scf.while` loops that count.

The condition of those compares a counter with a bound, and each iteration adds to it.

    before  scf.while (%i = %zero) { scf.condition(arith.cmpi slt, %i, %n) } do { ...; scf.yield %i + 1 }
    after   for i = 0 to n: ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin, const
from raising.frontend.mlir.attributes import Refusal, location, map_forms
from raising.frontend.mlir.loop_nest import NestReader


def scf_range(r: NestReader, op: Any, low: Any, high: Any) -> tuple[tuple[Lin, ...], tuple[Lin, ...]]:
    """The bounds of a loop of `scf`."""
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(1))
    return r.map_bound(identity, [low], "max", op), r.map_bound(identity, [high], "min", op)


def affine_parallel(r: NestReader, op: Any) -> None:
    """The loops of each dimension, and what is reduced over them, from the neutral element of each combiner."""
    lower = ir.AffineMapAttr(op.attributes["lowerBoundsMap"]).value
    upper = ir.AffineMapAttr(op.attributes["upperBoundsMap"]).value
    operands = list(op.operands)
    lowers = map_forms(lower, r.forms_of(operands[: lower.n_inputs], op))
    uppers = map_forms(upper, r.forms_of(operands[lower.n_inputs :], op))
    steps = [ir.IntegerAttr(s).value for s in ir.ArrayAttr(op.attributes["steps"])]
    groups = [
        _grouped(forms, list(ir.DenseIntElementsAttr(op.attributes[f"{side}BoundsGroups"])))
        for side, forms in (("lower", lowers), ("upper", uppers))
    ]
    bounds = [(low, high, step) for low, high, step in zip(*groups, steps, strict=True)]
    kinds = [str(v.type) for v in op.results]
    combiners = [_combiner(op, int(ir.IntegerAttr(c).value)) for c in ir.ArrayAttr(op.attributes["reductions"])]
    starts = [r.constant(_neutral(name, kind), kind) for (_, name), kind in zip(combiners, kinds, strict=True)]
    cells = _cells(r, op, kinds, starts)

    def body() -> None:
        given = [r.carried(kind, op) for kind in kinds]
        r.block(op.regions[0].blocks[0], given)
        for cell, one, (name, _), kind in zip(cells, given, combiners, kinds, strict=True):
            pair = r.load(cell, (), location(op)), r.load(one, (), location(op))
            r.store(cell, (), r.computed(name, pair, kind, op), location(op))

    _parallel(r, op, bounds, body, cells)


def _combiner(op: Any, number: int) -> tuple[str, str]:
    """The operation of a combiner, and what it is in `_NEUTRAL`."""
    from mlir.dialects.arith import AtomicRMWKind

    name = AtomicRMWKind(number).name
    if name not in _NEUTRAL:
        raise Refusal(location(op), f"affine.parallel with a reduction by '{name}'")
    return f"arith.{_OPERATIONS.get(name, name)}", name


_OPERATIONS = {"maxs": "maxsi", "mins": "minsi", "maxu": "maxui", "minu": "minui",
               "maxnumf": "maxnumf", "minnumf": "minnumf"}  # fmt: skip
"""Combiners that `arith` knows by another name."""
_NEUTRAL = {
    "addf": "0.0", "addi": "0", "mulf": "1.0", "muli": "1", "ori": "0", "xori": "0", "andi": "-1", "maxu": "0",
    "minu": "-1", "maximumf": "-inf", "minimumf": "inf", "maxs": "least", "mins": "largest",
}  # fmt: skip
"""The neutral element of each combiner; of integers with a sign, the bounds of their type."""


def _neutral(combiner: str, kind: str) -> str:
    bound = {"least": -1, "largest": 1}.get(_NEUTRAL[combiner])
    if bound is None:
        return _NEUTRAL[combiner]
    half = 1 << (int(kind[1:]) - 1)
    return str(-half if bound < 0 else half - 1)


def _cells(r: NestReader, op: Any, kinds: Sequence[str], starts: Sequence[str]) -> list[str]:
    """Cells for what is reduced."""
    found = []
    for kind, start in zip(kinds, starts, strict=True):
        found.append(r.carried(kind, op))
        r.store(found[-1], (), start, location(op))
    return found


def scf_parallel(r: NestReader, op: Any) -> None:
    """The loops of each dimension, and what is reduced over them."""
    count = len(op.regions[0].blocks[0].arguments)
    operands = list(op.operands)
    found = []
    for low, high, step in zip(*(operands[k * count : (k + 1) * count] for k in range(3)), strict=True):
        width = r.form_of(step, op)
        if not width.is_const:
            raise Refusal(location(op), "loop step is not constant")
        found.append((*scf_range(r, op, low, high), width.const))
    inits = operands[3 * count :]
    cells = _cells(r, op, [str(v.type) for v in inits], [r.name_of(v, op) for v in inits])
    r.reduced.append(cells)
    _parallel(r, op, found, lambda: r.block(op.regions[0].blocks[0], ()), cells)
    r.reduced.pop()


def scf_reduce(r: NestReader, op: Any) -> None:
    """The end of an `scf.parallel`: each value is combined with what its cell holds."""
    cells = r.reduced[-1]
    for cell, value, region in zip(cells, op.operands, op.regions, strict=True):
        block = region.blocks[0]
        held, given = block.arguments
        r.data[held], r.data[given] = r.load(cell, (), location(op)), r.name_of(value, op)
        for inner in block.operations:
            if inner.operation.name == "scf.reduce.return":
                r.store(cell, (), r.name_of(inner.operands[0], op), location(op))
            else:
                r.read(inner.operation)


Bounds = list[tuple[tuple[Lin, ...], tuple[Lin, ...], int]]


def _parallel(r: NestReader, op: Any, bounds: Bounds, body: Callable[[], None], cells: Sequence[str]) -> None:
    """The loops of a parallel operation: `Refusal` if an iteration may need another one, but for what is reduced."""
    from raising.affine.polyhedral.independence import first_conflict  # with isl, which most files do not need here

    name, block, before = r.fresh("p"), op.regions[0].blocks[0], set(r.arrays) - set(cells)

    def level(k: int) -> None:
        if k == len(bounds):
            body()
        else:
            r.loop(block.arguments[k], bounds[k], lambda: level(k + 1), op, name)

    nodes = r.collected(lambda: level(0))
    found = first_conflict(nodes, {n: a for n, a in r.arrays.items() if n in before}, r.known)
    if found is not None:
        raise Refusal(location(op), found)
    r.nodes.extend(nodes)
    r.results(op, cells)


def _grouped(forms: tuple[Lin, ...], sizes: list[int]) -> list[tuple[Lin, ...]]:
    out, start = [], 0
    for size in sizes:
        out.append(forms[start : start + size])
        start += size
    return out


# ---- while loops that count ----------------------------------------------------------------------

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
    """The number that an iteration adds to the counter."""
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
