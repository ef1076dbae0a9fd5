"""Probes of operations whose meaning is written as functions (`raising.grammar.dialects.function_library`).

Each function is one signature: element types, ranks and attributes are its own. Which dimensions have to be equal is
asked of the lowering, by giving all of them one of two sizes in every way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from mlir import ir

from raising.grammar.crosscheck.crosscheck import Job
from raising.grammar.dialects.function_library import Written
from raising.grammar.dialects.op_signature import Op
from raising.grammar.measure.instance_reading import Reading
from raising.grammar.measure.verifier import Instance, Typed, typed
from raising.grammar.measure.workbench import Attrs, NotStructured
from raising.grammar.probe.tensor_dialects import unfit
from raising.grammar.probe.worker_pool import Died, guarded
from raising.grammar.probe.workshop import Workshop, produced
from raising.grammar.terms.structured_op import Excluded, Map, Production

_MOST = 12  # dimensions of one function: the questions are 2^11 then
_TWO = (4, 5)
_SIZES = ((2, 3, 5, 7, 4, 6, 8, 9, 10, 11, 12, 13), (5, 4, 3, 6, 8, 9, 2, 7, 13, 12, 11, 10))
_SECONDS = 60


def probe_written(op: Op, shop: Workshop) -> tuple[list[Production], list[Excluded]]:
    """The productions of one operation, in a child process; and what is left out, by function."""
    try:
        return guarded(lambda: _probe(op, shop), _SECONDS)
    except Died as how:
        return [], [Excluded(op.full_name, f"{_file(shop)}: {how}")]


def _file(shop: Workshop) -> str:
    return "" if shop.host.library is None else shop.host.library.file


def _probe(op: Op, shop: Workshop) -> tuple[list[Production], list[Excluded]]:
    assert shop.host.library is not None
    functions = shop.host.library.of(op.full_name)
    why = "" if functions else "has no function for it"
    found: list[tuple[Written, Production, Job]] = []
    excluded = [Excluded(op.full_name, f"{_file(shop)} {why}")] if why else []
    for function in functions:
        try:
            found.append((function, *_said(op, function, shop)))
        except NotStructured as error:
            excluded.append(_left_out(op, function, shop, str(error)))
        except MemoryError:
            excluded.append(_left_out(op, function, shop, "needs too much memory"))
    answers = shop.check([job for _, _, job in found])
    for (function, _, _), answer in zip(found, answers, strict=True):
        excluded += [_left_out(op, function, shop, answer)] if answer else []
    return [p for (_, p, _), answer in zip(found, answers, strict=True) if not answer], excluded


def _left_out(op: Op, function: Written, shop: Workshop, why: str) -> Excluded:
    return Excluded(op.full_name, f"{_file(shop)}: @{function.symbol}: {why.removeprefix(f'{_file(shop)}: ')}")


def _said(op: Op, function: Written, shop: Workshop) -> tuple[Production, Job]:
    """The production of a function, and the instance that shows it."""
    pattern = _pattern(op, function, shop)
    classes = _classes(pattern, shop)
    instance = _sized(pattern, classes, _SIZES[0])
    reading, trace = shop.read(instance)
    if reading.family:
        raise NotStructured(f"moves elements ({reading.family}), which takes an attribute that says how")
    if shop.read(_sized(pattern, classes, _SIZES[1]))[0] != reading:
        raise NotStructured("what it computes depends on the sizes")
    _check_general(pattern, classes, reading)
    return produced(instance, reading), Job(instance, reading, trace)


def _check_general(pattern: Instance, classes: Sequence[int], reading: Reading) -> None:
    """Refuses what holds only if dimensions are equal that its meaning tells apart."""
    given = iter(classes)
    by_type = [[None if n is not None else next(given) for n in t.shape] for t in pattern.types()]
    dims: dict[int, Map] = {}
    for k, m in zip((*reading.arguments, len(by_type) - 1), reading.meaning.maps, strict=True):
        named = [c for c in by_type[k] if c is not None]
        for entry, c in zip(m, named, strict=True):
            if dims.setdefault(c, (entry,)) != (entry,):
                raise NotStructured("the definition asks for equal dimensions that the meaning tells apart")


# ---- signatures ----------------------------------------------------------------------------------


def _pattern(op: Op, function: Written, shop: Workshop) -> Instance:
    """The instance that a function is for, dimensions of any size unknown."""
    why = unfit(op)
    if why:
        raise NotStructured(f"{op.full_name} {why}")
    with shop.host.context:
        inputs, results = list(function.type.inputs), list(function.type.results)
    loose = [o for o in op.operands if o.arity != "one"]
    enough = len(inputs) >= len(op.operands) - len(loose) if loose else len(inputs) == len(op.operands)
    if len(results) != 1 or not enough or len(loose) > 1:
        wanted = f"{len(op.operands)} operands and {len(op.results)} results"
        raise NotStructured(f"goes from {len(inputs)} values to {len(results)}; {op.full_name} has {wanted}")
    kinds = [typed(ir, t) for t in (*inputs, *results)]
    for kind, text in zip(kinds, (*inputs, *results), strict=True):
        if kind is None:
            raise NotStructured(f"{text} is no ranked tensor")
    known = [k for k in kinds if k is not None]
    fixed = sorted({n for k in known for n in k.shape if n not in (None, 1)}, key=str)
    if fixed:
        raise NotStructured(f"is for dimensions of {fixed[0]} only")
    return Instance(op, tuple(known[:-1]), _attributes(op, function), "", known[-1])


def _attributes(op: Op, function: Written) -> Attrs:
    """The attributes of a function, and one value of each that it does not tell apart."""
    given = dict(function.attributes)
    wrong = sorted(set(given) - {a.name for a in op.attrs})
    if wrong:
        raise NotStructured(f"{op.full_name} has no attribute '{wrong[0]}'")
    for attr in op.required:
        if attr.name not in given and not attr.values:
            raise NotStructured(f"does not say for which '{attr.name}' it is")
        given.setdefault(attr.name, attr.values[0] if attr.values else "")
    return tuple(sorted(given.items()))


# ---- sizes ---------------------------------------------------------------------------------------


def _classes(pattern: Instance, shop: Workshop) -> list[int]:
    """A class number per unknown dimension: those that differ in nothing that is accepted are one."""
    count = sum(n is None for t in pattern.types() for n in t.shape)
    if count > _MOST:
        raise NotStructured(f"has {count} dimensions of any size, more than {_MOST}")
    accepted = [[0] * count]
    _accept(pattern, accepted[0], shop)
    for rest in product((0, 1), repeat=max(count - 1, 0)):
        colours = [0, *rest][:count]
        if any(colours) and _is_accepted(pattern, colours, shop):
            accepted.append(colours)
    columns = [tuple(row[k] for row in accepted) for k in range(count)]
    return [columns.index(c) for c in columns]


def _is_accepted(pattern: Instance, colours: Sequence[int], shop: Workshop) -> bool:
    try:
        _accept(pattern, colours, shop)
    except NotStructured:
        return False
    return True


def _accept(pattern: Instance, colours: Sequence[int], shop: Workshop) -> None:
    """Nothing if the verifier and the lowering take the sizes, else the reason as an error."""
    instance = _sized(pattern, list(range(len(colours))), [_TWO[c] for c in colours])
    if shop.verifier.result(instance) is None:
        raise NotStructured(f"the verifier refuses {', '.join(map(str, instance.types()))}")
    shop.lowering.lowered(instance.text())


def _sized(pattern: Instance, classes: Sequence[int], sizes: Sequence[int]) -> Instance:
    given = iter(classes)
    types = [Typed(t.element, tuple(_filled(t, given, sizes))) for t in pattern.types()]
    return replace(pattern, operands=tuple(types[:-1]), result=types[-1])


def _filled(kind: Typed, classes: Iterator[int], sizes: Sequence[int]) -> Iterator[int]:
    for n in kind.shape:
        yield sizes[next(classes)] if n is None else n
