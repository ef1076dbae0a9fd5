"""The front end as one function: C text to a module of affine MLIR."""

from __future__ import annotations

import contextlib
from dataclasses import field, replace
from pathlib import Path

from raising.frontend.c.c_options import COptions
from raising.frontend.c.clang.compile_flags import database_flags
from raising.frontend.c.found_functions import FoundFunctions
from raising.frontend.c.parts.loops_of_file import Loops
from raising.frontend.c.read_c import Watch, read_c
from raising.frontend.c.read_function import FunctionReader
from raising.frontend.c.read_parts import PartReader
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.known_callees import with_known_callees
from raising.frontend.lower.from_core.file_variables import is_hidden, mentioned
from raising.frontend.lower.ir.module import Refused, SourceModule, SourceRemark
from raising.frontend.lower.ir.nodes import PartOf
from raising.frontend.lower.known.state import Budget
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc


def convert(source: str, filename: str, options: COptions | None = None, watch: Watch | None = None) -> SourceModule:
    """Every function of a C file that is in the subset, as affine MLIR.

    What is outside of it is in `refused`, with its place and the reason; of
    such a function, its regions between `#pragma scop` and `#pragma endscop`,
    and its loops as far as they can be read, become functions of their own.
    `watch` is told what the module hangs on besides the text of the file.
    Raises `raising.support.errors.InputError` if the text is not C,
    or if the function that the options name is not in it.
    """
    options = options or COptions()
    unit = with_known_callees(read_c(source, filename, _flags(options, filename), options.language, watch))
    found = FoundFunctions(unit, Loops(unit, filename, options.function), joined=not options.fallback)
    functions = FunctionReader(found, options.guard, Budget(options.share), options.fallback)
    parts = PartReader(functions, source.encode(), Budget(options.share))
    reader = _FileReader(functions, parts, options.whole)
    for name in _wanted(unit, filename, options):
        reader.function(name)
    made = found.source_module(tuple(SourceRemark(loc, reason) for loc, reason in unit.remarks))
    return replace(made, loops=found.loops.listed())


def _flags(options: COptions, filename: str) -> list[str]:
    """The flags that a file is read with: those of the database, then those that are given."""
    listed: list[str] = []
    if options.compile_commands is not None:
        listed = database_flags(Path(options.compile_commands), Path(filename))
    given = (f"-D{name}" for name in options.defines), (f"-I{folder}" for folder in options.include_dirs)
    return [*listed, *given[0], *given[1], *options.flags]


def _wanted(unit: st.Unit, filename: str, options: COptions) -> list[str]:
    """The functions to convert: one, or all but helpers that nobody outside can call."""
    defined = {name: f for name, f in unit.routines.items() if f.body is not None and not f.copy_of}
    if options.function is not None:
        named = [n for n, f in defined.items() if options.function in (n, f.source)]
        if not named:
            raise InputError(Loc(filename), f"there is no function '{options.function}' with a body")
        return named
    return [n for n, f in defined.items() if not is_hidden(f)] or [*defined]


@dataclass
class _FileReader:
    """Reads functions, and what can be read of those that are refused; with `written`, such a one as C has it."""

    functions: FunctionReader
    parts: PartReader
    written: bool
    seen: set[str] = field(default_factory=set)

    def function(self, name: str) -> None:
        """A function; if it is refused, its parts, and the functions that it calls, which are not inlined then."""
        if name in self.seen:
            return
        self.seen.add(name)
        found = self.functions.found
        function = found.unit.routines[name]
        try:
            made, core = self.functions.whole(function)
            self.functions.keep(replace(made, whole=_whole(function)), core)
            found.loops.read(function.body or (), made)
        except Refused as error:
            if self.written and self.functions.write(function, error):
                return
            found.refuse(error, function.loc, f"function '{name}' stays in {found.unit.language}")
            with contextlib.suppress(RecursionError):  # what is nested too deeply has no parts that can be found
                self.parts.parts(function)
            names = mentioned(function)
            for other in (f for name, f in found.unit.routines.items() if name in names):
                if other.body is not None:
                    self.function(other.copy_of or other.name)


def _whole(function: st.Function) -> PartOf | None:
    """The call that can replace the body of a function; None where a parameter has no name in C."""
    names = [p.source for p in function.parameters]
    if function.inner is None or not all(name.isidentifier() for name in names):
        return None
    start = function.inner.start + 1
    name = function.source or function.name
    return PartOf(function.name, f"{name}({', '.join(names)})", (start, start))
