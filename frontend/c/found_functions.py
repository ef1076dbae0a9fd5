"""The functions that a file gives a module, with the variables that they use, and what is said of all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from raising.frontend.c.parts.loops_of_file import Loops
from raising.frontend.core import statement_nodes as st
from raising.frontend.lower.emit.module_text import module_text
from raising.frontend.lower.emit.text import Locations
from raising.frontend.lower.from_core.file_variables import Variables, exported, used_in
from raising.frontend.lower.ir.module import Refused, SourceModule, SourceRemark
from raising.frontend.lower.ir.nodes import Function
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass
class FoundFunctions:
    """The functions that were found in a file so far: `lowered` ones, and those that are only `written` as C has them.

    `guards` has more text for a function by its name: its test and what runs where that fails, or a written function.
    The module may be `joined` with the file's own object.
    """

    unit: st.Unit
    loops: Loops
    joined: bool = False
    lowered: list[Function] = field(default_factory=list)
    written: list[Function] = field(default_factory=list)
    guards: dict[str, str] = field(default_factory=dict)
    refused: list[SourceRemark] = field(default_factory=list)
    _remarks: list[tuple[str, SourceRemark]] = field(default_factory=list)

    def remark(self, name: str, remarks: Iterable[SourceRemark]) -> None:
        """Say something of a function of the module, for as long as it has it."""
        self._remarks += ((name, remark) for remark in remarks)

    def refuse(self, error: Refused, loc: Loc, what: str) -> None:
        """Say what is not in the module, and why; its place is `loc` if the reason has none."""
        self.refused.append(SourceRemark(error.loc if error.loc.line else loc, f"{what}: {error.reason}"))

    def source_module(self, remarks: tuple[SourceRemark, ...]) -> SourceModule:
        """The module; `remarks` on the file come last."""
        self._refuse_shared()
        variables, names = self.variables(), self._used()

        def declared(locations: Locations) -> list[str]:
            return [variables.text(name, locations) for name in names]

        told = [*(remark for _, remark in self._remarks), *remarks]
        return module_text(self.lowered, [*self.guards.values()], told, self.refused, declared)

    def variables(self) -> Variables:
        """The variables of the file, beside the functions that were found."""
        return Variables(self.unit, frozenset(f.name for f in (*self.lowered, *self.written)), self.joined)

    def _refuse_shared(self) -> None:
        """Refuse functions that use a variable which the module cannot have, until there is none."""
        while True:
            variables, functions = self.variables(), [*self.lowered, *self.written]
            obstacles = {name: why for name in used_in(functions) if (why := variables.obstacle(name)) is not None}
            if not obstacles:
                return
            for function in functions:
                why = next((obstacles[name] for name in used_in([function]) if name in obstacles), None)
                if why is not None:
                    self._take_out(function, why)

    def _take_out(self, function: Function, why: Refused) -> None:
        (self.lowered if function in self.lowered else self.written).remove(function)
        self.guards.pop(function.name, None)
        self.loops.take_out(function, why)
        self._remarks = [(name, remark) for name, remark in self._remarks if name != function.name]
        self.refuse(why, function.loc, f"function '{function.name}' stays in {self.unit.language}")

    def _used(self) -> list[str]:
        """The variables that the module has: used ones, and if nothing stays in C all that others may ask for."""
        functions = [*self.lowered, *self.written]
        variables, names = self.variables(), list(used_in(functions))
        if functions and not variables.left:
            for name in (name for name in exported(self.unit) if name not in names):
                error = variables.obstacle(name)
                if error is None:
                    names.append(name)
                else:
                    self.refuse(error, error.loc, f"variable '{name}' is not in the module")
        return names
