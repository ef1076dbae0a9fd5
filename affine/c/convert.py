"""The front end as one function: C text to a module of affine MLIR."""

from __future__ import annotations

from typing import Any

from affine.c.cleanup import promoted
from affine.c.delinearise import delinearised
from affine.c.emit import Emitter, global_text
from affine.c.errors import Refused, place
from affine.c.function import lower
from affine.c.holds import holds_text
from affine.c.ir import Array, Function, Write, walk
from affine.c.module import CFunction, CModule, COptions, CParam, CRemark
from affine.c.original import original
from affine.c.original_text import original_text
from affine.c.parse import Unit, parse
from affine.c.preprocess import preprocess
from affine.c.select import selected
from affine.c.spell import Locations, Unplaced
from affine.errors import InputError
from affine.program import Loc


def convert(source: str, filename: str, options: COptions | None = None) -> CModule:
    """Every function of a C file that is in the subset, as affine MLIR.

    What is outside of it is in `refused`, with its place and the reason.
    Raises `affine.errors.InputError` if the text does not preprocess or parse,
    or if the function that the options name is not in it.
    """
    options = options or COptions()
    unit = parse(preprocess(source, filename, options), filename)
    functions, guards, refused = _functions(unit, _wanted(unit, filename, options), options.guard)
    locations = Locations()
    bodies = [Emitter(f, locations).text() for f in functions]
    globals_ = {a.name: a for f in functions for a in f.arrays.values() if a.kind == "global"}
    declared = [global_text(a, locations) for a in globals_.values()]
    lines = [*locations.lines(), "module {", *declared, *bodies, "}"]
    guarding = ["module {", *(global_text(a, Unplaced()) for a in globals_.values()), *guards, "}"] if guards else []
    assumptions = tuple(remark for f in functions for remark in _assumed(f))
    text, tests = ("".join(f"{line}\n" for line in part) for part in (lines, guarding))
    return CModule(text, tuple(map(_signature, functions)), (), tuple(refused), assumptions, tests)


def _wanted(unit: Unit, filename: str, options: COptions) -> list[str]:
    """The functions to convert: one, or all but helpers that nobody outside can call."""
    if options.function is not None:
        if options.function not in unit.functions:
            raise InputError(Loc(filename), f"there is no function '{options.function}' with a body")
        return [options.function]
    return [n for n, f in unit.functions.items() if not {"static", "inline"} & {*f.decl.storage, *f.decl.funcspec}] or [
        *unit.functions
    ]


def _functions(unit: Unit, names: list[str], guard: bool) -> tuple[list[Function], list[str], list[CRemark]]:
    """The functions that are in the subset, the guards of them, and what was refused."""
    found, guards, refused = list[Function](), list[str](), []
    for name in names:
        node = unit.functions[name]
        try:
            function = promoted(selected(delinearised(lower(unit, node))))
            guards += _guards(unit, node, function) if guard and function.assumptions else []
            found.append(function)
        except Refused as error:
            where = error.loc if error.loc.line else place(node.decl)
            refused.append(CRemark(where, f"function '{name}' stays in C: {error.reason}"))
    return found, guards, refused


def _guards(unit: Unit, node: Any, function: Function) -> list[str]:
    """The test of what is assumed, and the function as C has it."""
    return [holds_text(function), original_text(promoted(original(unit, node)), function)]


def _assumed(function: Function) -> list[CRemark]:
    """What is assumed of a function, each once, where it is needed first."""
    first = {a.text: a.loc for a in reversed(function.assumptions)}
    return [CRemark(loc, f"in '{function.name}': {text}") for text, loc in reversed(first.items())]


def _signature(function: Function) -> CFunction:
    written = {n.array for n in walk(function.body) if isinstance(n, Write)}
    parameters = []
    for p in function.parameters:
        shape = _shape(function.arrays[p.name]) if p.value is None else None
        parameters.append(CParam(p.name, p.type.mlir, shape, p.name in written))
    result = function.result_type.mlir if function.result_type else None
    return CFunction(function.name, function.loc, tuple(parameters), result)


def _shape(array: Array) -> tuple[str, ...]:
    return tuple("?" if extent is None else str(extent) for extent in array.shape)
