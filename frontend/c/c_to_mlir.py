"""The front end as one function: C text to a module of affine MLIR."""

from __future__ import annotations

import contextlib
from dataclasses import field
from pathlib import Path

from raising.frontend.c.clang.compile_flags import database_flags
from raising.frontend.c.emit.fallback_text import original_text
from raising.frontend.c.emit.module_text import module_text
from raising.frontend.c.emit.runtime_check import holds_text
from raising.frontend.c.emit.text import Locations
from raising.frontend.c.from_core.file_variables import Variables, exported, is_hidden, used_in
from raising.frontend.c.from_core.function_to_typed import original
from raising.frontend.c.from_core.marked_regions import Marked, outlined, regions
from raising.frontend.c.ir.module import CModule, COptions, CRemark, Refused
from raising.frontend.c.ir.nodes import Function
from raising.frontend.c.known.state import Budget
from raising.frontend.c.passes.mem2reg import promoted
from raising.frontend.c.read.read_c import read_c
from raising.frontend.c.typed_program import branches_that_stay, typed_program
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import statements
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc


def convert(source: str, filename: str, options: COptions | None = None) -> CModule:
    """Every function of a C file that is in the subset, as affine MLIR.

    What is outside of it is in `refused`, with its place and the reason; of
    such a function, its regions between `#pragma scop` and `#pragma endscop`
    become functions of their own.
    Raises `raising.support.errors.InputError` if the text is not C,
    or if the function that the options name is not in it.
    """
    options = options or COptions()
    unit = read_c(source, filename, _flags(options, filename))
    reader = _Reader(unit, options.guard)
    for name in _wanted(unit, filename, options):
        reader.function(name)
    reader.refuse_shared()
    variables, names = reader.variables(), reader.used()
    remarks = [*reader.remarks, *(CRemark(loc, reason) for loc, reason in unit.remarks)]

    def declared(locations: Locations) -> list[str]:
        return [variables.text(name, locations) for name in names]

    return module_text(reader.found, [*reader.guards.values()], remarks, reader.refused, declared)


def _flags(options: COptions, filename: str) -> list[str]:
    """The flags that a file is read with: those of the database, then those that are given."""
    listed: list[str] = []
    if options.compile_commands is not None:
        listed = database_flags(Path(options.compile_commands), Path(filename))
    given = (f"-D{name}" for name in options.defines), (f"-I{folder}" for folder in options.include_dirs)
    return [*listed, *given[0], *given[1], *options.flags]


def _wanted(unit: st.Unit, filename: str, options: COptions) -> list[str]:
    """The functions to convert: one, or all but helpers that nobody outside can call."""
    defined = {name: f for name, f in unit.routines.items() if f.body is not None}
    if options.function is not None:
        if options.function not in defined:
            raise InputError(Loc(filename), f"there is no function '{options.function}' with a body")
        return [options.function]
    return [n for n, f in defined.items() if not is_hidden(f)] or [*defined]


@dataclass
class _Reader:
    """Reads functions, and what can be read of those that are refused."""

    unit: st.Unit
    guard: bool
    budget: Budget = field(default_factory=Budget)
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
        function = self.unit.routines[name]
        try:
            self._read(function, frozenset())
        except Refused as error:
            self._refuse(error, function.loc, f"function '{name}' stays in {self.unit.language}")
            with contextlib.suppress(RecursionError):  # what is nested too deeply has no regions that can be found
                self._regions(function)
            for other in _called(function):
                if self.unit.routines[other].body is not None:
                    self.function(other)

    def _read(self, function: st.Function, whole: frozenset[str]) -> None:
        made = typed_program(self.unit, function, self.budget, whole)
        self.remarks += branches_that_stay(made)
        untested = [a for a in made.assumptions if not (a.conds or a.apart or a.ranges)]
        if self.guard and untested:
            raise Refused(untested[0].loc, f"that {untested[0].text} cannot be tested at run time")
        if self.guard and made.assumptions:
            literal = promoted(original(self.unit, function, self.budget))
            self.guards[made.name] = "\n".join((holds_text(made), original_text(literal, made)))
        self.found.append(made)

    # ---- regions -----------------------------------------------------------------------------------

    def _regions(self, function: st.Function) -> None:
        found = regions(function)
        for k, region in enumerate(found, 1):
            self._region(function, region, f"_{k}" if len(found) > 1 else "")

    def _region(self, function: st.Function, marked: Marked, number: str) -> None:
        name, loc = function.name, marked.region.loc
        symbol = f"{name}_scop{number}"
        while symbol in self.unit.routines or symbol in self.unit.globals:
            symbol += "_"
        try:
            self._read(*outlined(function, marked, symbol))
            told = f"the region of function '{name}' that starts here is function '{symbol}'"
            self.remarks.append(CRemark(loc, told))
        except Refused as error:
            self._refuse(error, loc, f"a region of function '{name}' stays in C")

    def _refuse(self, error: Refused, loc: Loc, what: str) -> None:
        self.refused.append(CRemark(error.loc if error.loc.line else loc, f"{what}: {error.reason}"))

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
                why = next((found[name] for name in used_in([function]) if name in found), None)
                if why is not None:
                    self._take_out(function, why)

    def _take_out(self, function: Function, why: Refused) -> None:
        self.found.remove(function)
        self.guards.pop(function.name, None)
        self.remarks = [r for r in self.remarks if not r.reason.startswith(f"in '{function.name}':")]
        self._refuse(why, function.loc, f"function '{function.name}' stays in {self.unit.language}")

    def used(self) -> list[str]:
        """The variables that the module has: used ones, and if nothing stays in C all that others may ask for."""
        variables, names = self.variables(), list(used_in(self.found))
        if self.found and not variables.left:
            for name in (name for name in exported(self.unit) if name not in names):
                error = variables.obstacle(name)
                if error is None:
                    names.append(name)
                else:
                    self._refuse(error, error.loc, f"variable '{name}' is not in the module")
        return names


def _called(function: st.Function) -> list[str]:
    """The functions that a function calls by name."""
    calls = [s.callee for s in statements(function.body or ()) if isinstance(s, st.Call)]
    return [name for name in dict.fromkeys(calls) if isinstance(name, str)]
