"""Functions as the text of a module, with what there is to say about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from raising.frontend.lower.emit.mlir import Emitter
from raising.frontend.lower.emit.text import Locations, Unplaced
from raising.frontend.lower.ir.module import Condition, SourceFunction, SourceModule, SourceParameter, SourceRemark
from raising.frontend.lower.ir.nodes import Array, Assumption, Function, Write, walk
from raising.frontend.lower.ir.polynomial import Poly, var


def module_text(
    functions: Sequence[Function],
    guards: Sequence[str],
    remarks: Sequence[SourceRemark],
    refused: Sequence[SourceRemark],
    variables: Callable[[Locations], list[str]] = lambda _: [],
    emitter: Callable[[Function, Locations], Emitter] = Emitter,
) -> SourceModule:
    """The module of these functions; `guards` are the texts of the functions that test and replace them.

    `variables` gives the declarations of the file's variables.
    """
    locations = Locations()
    bodies = [emitter(f, locations).text() for f in functions]
    declared = variables(locations)
    lines = [*locations.lines(), "module {", *declared, *bodies, "}"]
    tests = ["module {", *variables(Unplaced()), *guards, "}"] if guards else []
    return SourceModule(
        mlir="".join(f"{line}\n" for line in lines),
        functions=tuple(map(_signature, functions)),
        remarks=tuple(remarks),
        refused=tuple(refused),
        assumptions=tuple(remark for f in functions for remark in _assumed(f)),
        guards="".join(f"{line}\n" for line in tests),
        conditions=tuple(condition for f in functions for condition in _conditions(f)),
    )


def _assumed(function: Function) -> list[SourceRemark]:
    """The assumptions of a function, each once, at the place that needs it first."""
    first = {a.text: a.loc for a in reversed(function.assumptions)}
    return [SourceRemark(loc, f"in '{function.name}': {text}") for text, loc in reversed(first.items())]


def _conditions(function: Function) -> list[Condition]:
    """The assumptions of a function that are no pairs of arrays, with what tells whether they hold."""
    places: dict[str, Poly] = {}
    for k, p in enumerate(function.parameters):
        places[p.name] = var(f"a{k}")
        for dim, extent in enumerate(function.arrays[p.name].shape if p.value is None else ()):
            places |= {str(extent): var(f"a{k}_{dim}")} if extent is not None else {}
    found = {a.text: a for a in reversed(function.assumptions) if not a.apart}
    return [
        Condition(function.name, a.text, a.loc, tuple(form.substitute(places) for form in _forms(a)))
        for a in reversed(found.values())
    ]


def _forms(assumption: Assumption) -> list[Poly]:
    forms = [form for c in assumption.conds for form in c.forms]
    return forms + [form for r in assumption.ranges for form in (r.form - r.low, -r.form + r.high)]


def _signature(function: Function) -> SourceFunction:
    written = {n.array for n in walk(function.body) if isinstance(n, Write)}
    parameters = []
    for p in function.parameters:
        shape = _shape(function.arrays[p.name]) if p.value is None else None
        parameters.append(SourceParameter(p.name, p.type.mlir, shape, p.name in written))
    result = function.result_type.mlir if function.result_type else None
    made, part = SourceFunction(function.name, function.loc, tuple(parameters), result), function.part or function.whole
    return made if part is None else replace(made, of=part.function, call=part.call, span=part.span, own=part.own)


def _shape(array: Array) -> tuple[str, ...]:
    return tuple("?" if extent is None else str(extent) for extent in array.shape)
