"""The front end as one function: C text to a module of affine MLIR."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import field
from typing import Any

from raising.frontend.c.emit.fallback_text import original_text
from raising.frontend.c.emit.mlir import Emitter
from raising.frontend.c.emit.runtime_check import holds_text
from raising.frontend.c.emit.text import Locations, Unplaced
from raising.frontend.c.file_variables import Variables, exported, is_hidden, used_in
from raising.frontend.c.ir.module import CFunction, CModule, COptions, CParam, CRemark, Refused, place
from raising.frontend.c.ir.nodes import Array, Function, Write, walk
from raising.frontend.c.lower.calls import called_names
from raising.frontend.c.lower.fallback import original
from raising.frontend.c.lower.function import flags, lower
from raising.frontend.c.lower.scop_pragma import Region, outlined, regions
from raising.frontend.c.passes.delinearise import delinearised
from raising.frontend.c.passes.if_conversion import selected
from raising.frontend.c.passes.mem2reg import promoted
from raising.frontend.c.syntax.parse import Unit, parse
from raising.frontend.c.syntax.preprocess import preprocess
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc


def convert(source: str, filename: str, options: COptions | None = None) -> CModule:
    """Every function of a C file that is in the subset, as affine MLIR.

    What is outside of it is in `refused`, with its place and the reason; of
    such a function, its regions between `#pragma scop` and `#pragma endscop`
    become functions of their own.
    Raises `raising.support.errors.InputError` if the text does not preprocess or parse,
    or if the function that the options name is not in it.
    """
    options = options or COptions()
    unit = parse(preprocess(source, filename, options), filename)
    return module_of(unit, _wanted(unit, filename, options), options.guard)


def module_of(
    unit: Unit,
    names: list[str],
    guard: bool = False,
    emitter: Callable[[Function, Locations], Emitter] = Emitter,
) -> CModule:
    """These functions of a parsed file, as affine MLIR."""
    reader = _Reader(unit, guard)
    for name in names:
        reader.function(name)
    reader.refuse_shared()
    locations = Locations()
    bodies = [emitter(f, locations).text() for f in reader.found]
    variables, names = reader.variables(), reader.used()
    declared = [variables.text(name, locations) for name in names]
    lines = [*locations.lines(), "module {", *declared, *bodies, "}"]
    declared = [variables.text(name, Unplaced()) for name in names]
    guards = ["module {", *declared, *reader.guards.values(), "}"] if any(reader.guards.values()) else []
    text, tests = ("".join(f"{line}\n" for line in part) for part in (lines, guards))
    return CModule(
        mlir=text,
        functions=tuple(map(_signature, reader.found)),
        remarks=tuple(reader.remarks),
        refused=tuple(reader.refused),
        assumptions=tuple(remark for f in reader.found for remark in _assumed(f)),
        guards=tests,
    )


def _wanted(unit: Unit, filename: str, options: COptions) -> list[str]:
    """The functions to convert: one, or all but helpers that nobody outside can call."""
    if options.function is not None:
        if options.function not in unit.functions:
            raise InputError(Loc(filename), f"there is no function '{options.function}' with a body")
        return [options.function]
    return [n for n, f in unit.functions.items() if not is_hidden(f)] or [*unit.functions]


@dataclass
class _Reader:
    """Reads functions, and what can be read of those that are refused."""

    unit: Unit
    guard: bool
    found: list[Function] = field(default_factory=list)
    guards: dict[str, str] = field(default_factory=dict)
    remarks: list[CRemark] = field(default_factory=list)
    refused: list[CRemark] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def function(self, name: str) -> None:
        """A function; if it is refused, its regions, and the functions that it calls, which are not inlined then."""
        if name in self.seen:
            return
        self.seen.add(name)
        node = self.unit.functions[name]
        try:
            self._read(node, frozenset())
        except Refused as error:
            self._refuse(error, node.decl, f"function '{name}' stays in {self.unit.language}")
            with contextlib.suppress(RecursionError):  # what is nested too deeply has no regions that can be found
                self._regions(name, node)
            for other in called_names(node.body):
                if other in self.unit.functions:
                    self.function(other)

    def _read(self, node: Any, whole: frozenset[str]) -> None:
        function = self._selected(node, whole)
        for loc, why in function.branches:
            told = f"in '{function.name}': a branch on data stays a branch, and its loops are not raised: {why}"
            self.remarks.append(CRemark(loc, told))
        if self.guard and function.assumptions:
            own = original_text(promoted(original(self.unit, node)), function)
            self.guards[function.name] = "\n".join((holds_text(function), own))
        self.found.append(function)

    def _selected(self, node: Any, whole: frozenset[str]) -> Function:
        """The function; parameters that only conditions ask for are data if all these conditions become selections."""
        function = promoted(selected(delinearised(lower(self.unit, node, whole))))
        data = flags(function)
        if not data:
            return function
        try:
            other = promoted(selected(delinearised(lower(self.unit, node, whole, data))))
        except Refused:
            return function
        return function if other.branches else other

    def _regions(self, name: str, node: Any) -> None:
        try:
            found = regions(node)
        except Refused as error:
            self._refuse(error, node.decl, f"regions of function '{name}' stay in C")
            return
        for k, region in enumerate(found, 1):
            self._region(name, node, region, f"_{k}" if len(found) > 1 else "")

    def _region(self, name: str, node: Any, region: Region, number: str) -> None:
        symbol = f"{name}_scop{number}"
        while symbol in self.unit.functions or symbol in self.unit.globals:
            symbol += "_"
        try:
            self._read(*outlined(self.unit, node, region, symbol))
            told = f"the region of function '{name}' that starts here is function '{symbol}'"
            self.remarks.append(CRemark(place(region.pragma), told))
        except Refused as error:
            self._refuse(error, region.pragma, f"a region of function '{name}' stays in C")

    def _refuse(self, error: Refused, node: Any, what: str) -> None:
        where = error.loc if error.loc.line else place(node)
        self.refused.append(CRemark(where, f"{what}: {error.reason}"))

    # ---- variables of the file ---------------------------------------------------------------------

    def variables(self) -> Variables:
        """The variables of the file, beside the functions that were found."""
        return Variables(self.unit, frozenset(f.name for f in self.found))

    def refuse_shared(self) -> None:
        """Refuse functions that use a variable which the module cannot have, until there is none."""
        while True:
            variables = self.variables()
            found = {name: error for name in used_in(self.found) if (error := variables.obstacle(name)) is not None}
            if not found:
                return
            for function in list(self.found):
                for name in used_in([function]):
                    if name in found and function in self.found:
                        self._take_out(function, found[name])

    def _take_out(self, function: Function, why: Refused) -> None:
        self.found.remove(function)
        self.guards.pop(function.name, None)
        self.remarks = [r for r in self.remarks if not r.reason.startswith(f"in '{function.name}':")]
        self._refuse(why, None, f"function '{function.name}' stays in {self.unit.language}")

    def used(self) -> list[str]:
        """The variables that the module has: used ones, and if nothing stays in C all that others may ask for."""
        variables, names = self.variables(), list(used_in(self.found))
        if self.found and not variables.left:
            more = [name for name in exported(self.unit) if name not in names]
            for name in more:
                error = variables.obstacle(name)
                if error is None:
                    names.append(name)
                else:
                    self._refuse(error, None, f"variable '{name}' is not in the module")
        return names


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
