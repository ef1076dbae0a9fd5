"""The front end as one function: C text to a module of affine MLIR."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from pathlib import Path

from raising.frontend.c.c_options import COptions
from raising.frontend.c.clang.compile_flags import database_flags
from raising.frontend.c.parts.held_pointers import HeldPointer
from raising.frontend.c.parts.loops_of_file import Loops
from raising.frontend.c.parts.outlining import Outlined, Outliner, Part
from raising.frontend.c.parts.parts_of_functions import Search
from raising.frontend.c.read_c import Watch, read_c
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.integers_by_address import read_at_start
from raising.frontend.core.known_callees import with_known_callees
from raising.frontend.core.traverse import statements
from raising.frontend.core.types import Pointer
from raising.frontend.lower.emit.fallback_text import original_text, written_text
from raising.frontend.lower.emit.module_text import module_text
from raising.frontend.lower.emit.runtime_check import holds_text
from raising.frontend.lower.emit.text import Locations
from raising.frontend.lower.from_core.file_variables import Variables, exported, is_hidden, mentioned, used_in
from raising.frontend.lower.from_core.function_to_typed import original
from raising.frontend.lower.ir.module import Refused, SourceModule, SourceRemark
from raising.frontend.lower.ir.nodes import Assumption, Function, PartOf
from raising.frontend.lower.jumps.exits_as_flags import with_exits_as_flags
from raising.frontend.lower.jumps.without_jumps import without_jumps
from raising.frontend.lower.known.state import Budget
from raising.frontend.lower.passes.mem2reg import promoted
from raising.frontend.lower.typed_program import branches_that_stay, typed_program
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
    reader = _Reader(unit, source.encode(), options, Loops(unit, filename, options.function))
    for name in _wanted(unit, filename, options):
        reader.function(name)
    reader.refuse_shared()
    variables, names = reader.variables(), reader.used()
    remarks = [*reader.remarks, *(SourceRemark(loc, reason) for loc, reason in unit.remarks)]

    def declared(locations: Locations) -> list[str]:
        return [variables.text(name, locations) for name in names]

    made = module_text(reader.found, [*reader.guards.values()], remarks, reader.refused, declared)
    return replace(made, loops=reader.loops.listed())


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


def _whole(function: st.Function) -> PartOf | None:
    """The call that can replace the body of a function; None where a parameter has no name in C."""
    names = [p.source for p in function.parameters]
    if function.inner is None or not all(name.isidentifier() for name in names):
        return None
    start = function.inner.start + 1
    name = function.source or function.name
    return PartOf(function.name, f"{name}({', '.join(names)})", (start, start))


def _own(part: Outlined) -> frozenset[str]:
    """The parameters of a part that are addresses of variables which nothing else points to."""
    found = (p for p in part.function.parameters if isinstance(p.type, Pointer) and p.type.restrict)
    return frozenset(p.name for p in found if p.name.endswith("_at"))


@dataclass
class _Reader:
    """Reads functions, and what can be read of those that are refused."""

    unit: st.Unit
    text: bytes
    options: COptions
    loops: Loops
    budget: Budget = field(default_factory=Budget)
    part_budget: Budget = field(default_factory=Budget)
    found: list[Function] = field(default_factory=list)
    guards: dict[str, str] = field(default_factory=dict)
    written: list[Function] = field(default_factory=list)
    remarks: list[SourceRemark] = field(default_factory=list)
    refused: list[SourceRemark] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def function(self, name: str) -> None:
        """A function; if it is refused, its parts, and the functions that it calls, which are not inlined then."""
        if name in self.seen:
            return
        self.seen.add(name)
        function = self.unit.routines[name]
        try:
            made, core = self._made(function)
            self._keep(replace(made, whole=_whole(function)), core)
            self.loops.read(function.body or (), made)
        except Refused as error:
            if self.options.whole and self._write(function, error):
                return
            self._refuse(error, function.loc, f"function '{name}' stays in {self.unit.language}")
            with contextlib.suppress(RecursionError):  # what is nested too deeply has no parts that can be found
                self._parts(function)
            names = mentioned(function)
            for other in (f for name, f in self.unit.routines.items() if name in names):
                if other.body is not None:
                    self.function(other.copy_of or other.name)

    @cached_property
    def _flagged(self) -> st.Unit:
        """The unit with flags in place of jumps that leave loops, for what is written as it is."""
        changed = {name: with_exits_as_flags(function) for name, function in self.unit.routines.items()}
        return replace(self.unit, routines=changed)

    def _write(self, function: st.Function, why: Refused) -> bool:
        """The function as it is written, in place of its tensor program; whether it can be."""
        try:
            unit, core, _ = without_jumps(self._flagged, self._flagged.routines[function.name], False)
            made = promoted(original(unit, core, self.budget, alone=True))
            left = [a for a in made.assumptions if not a.apart]
            if left and self.options.guard:
                return False
            made = replace(made, assumptions=())
            self.guards[made.name] = written_text(made, self.variables().shaped(made))
        except Refused:
            return False
        self.written.append(made)
        for loop in (s for s in statements(function.body or ()) if isinstance(s, st.Loop)):
            self.loops.refuse(loop, why)
        self._refuse(why, function.loc, f"function '{function.name}' is written as it is")
        self.remarks += [SourceRemark(a.loc, f"assumed in '{function.name}': {a.text}") for a in left]
        return True

    def _made(self, function: st.Function) -> tuple[Function, st.Function]:
        """The typed program of a function, which takes integers for their addresses if it is refused with these."""
        try:
            return typed_program(self.unit, function, self.budget, lengths=not self.options.guard), function
        except Refused as error:
            other = read_at_start(function)
            if other is None:
                raise
            try:
                return typed_program(self.unit, other, self.budget, lengths=not self.options.guard), other
            except Refused:
                raise error from None

    def _keep(self, made: Function, core: st.Function) -> None:
        """A function that was read belongs to the module."""
        self.remarks += branches_that_stay(made)
        if self.options.guard and made.assumptions:
            self.guards[made.name] = self._guard(made, core)
        self.found.append(made)

    def _guard(self, made: Function, core: st.Function) -> str:
        """The test of what is assumed of a function, and what it does else; `Refused` if it has none."""
        untested = next((a for a in made.assumptions if not (a.conds or a.apart or a.ranges)), None)
        if untested is not None:
            raise Refused(untested.loc, f"that {untested.text} cannot be tested at run time")
        unit, core, _ = without_jumps(self.unit, core, False)
        literal = promoted(original(unit, core, self.budget))
        if not {p.name for p in literal.parameters} <= {p.name for p in made.parameters}:
            raise Refused(made.loc, "what is left out of the loops uses parameters that they do not")
        return "\n".join((holds_text(made), original_text(literal, made)))

    def _refuse(self, error: Refused, loc: Loc, what: str) -> None:
        self.refused.append(SourceRemark(error.loc if error.loc.line else loc, f"{what}: {error.reason}"))

    # ---- parts of functions --------------------------------------------------------------------------

    def _parts(self, function: st.Function) -> None:
        """Functions of the marked regions, and of the loops that can be read."""
        outliner = Outliner(self.unit, function)
        done = self._regions(function, outliner)
        search = Search(self.text, outliner.live, partial(self._read_part, outliner), done)
        search.block(function.body or ())
        for loop, why in search.refused:
            self.loops.refuse(loop, why)
        for k, (part, (core, made)) in enumerate(search.found, 1):
            symbol = self._symbol(f"{function.source}_loop{k}")
            self._keep_part(function, part, core.named(symbol), replace(made, name=symbol))
            end = part.end.line
            lines = f"from line {part.loc.line} to {end}" if end > part.loc.line else f"of line {end}"
            told = f"the loops of function '{function.name}' {lines} are function '{symbol}'"
            self.remarks.append(SourceRemark(part.loc, told))

    def _read_part(self, outliner: Outliner, part: Part) -> tuple[Outlined, Function]:
        known = outliner.known(part)
        if known:
            with contextlib.suppress(Refused):
                return self._read_part_as(outliner, part, known)
        try:
            return self._read_part_as(outliner, part, {})
        except Refused as why:
            held = outliner.held(part)
            if held:
                with contextlib.suppress(Refused):
                    return self._read_part_as(outliner, part, {}, held)
            raise why

    def _read_part_as(
        self, outliner: Outliner, part: Part, known: Mapping[str, ex.Expr], held: tuple[HeldPointer, ...] = ()
    ) -> tuple[Outlined, Function]:
        core = outliner.outlined(part, f"{outliner.function.name}_loop", known, held)
        made = typed_program(self.unit, core.function, self.part_budget, core.own, not self.options.guard)
        if made.branches:
            raise Refused(made.branches[0][0], f"a branch on data: {made.branches[0][1]}")
        made = replace(made, assumptions=(*made.assumptions, *(Assumption(part.loc, text) for text in core.assumed)))
        if self.options.guard and made.assumptions:
            self._guard(made, core.function)  # which refuses a part that has none
        return core, made

    def _regions(self, function: st.Function, outliner: Outliner) -> tuple[st.Region, ...]:
        """Functions of the marked regions; those that are."""
        found, done = [s for s in statements(function.body or ()) if isinstance(s, st.Region)], []
        for k, region in enumerate(found, 1):
            part = Part(region.body, region.loc, outliner.live.behind(region), region.span)
            symbol = self._symbol(f"{function.source}_scop" + (f"_{k}" if len(found) > 1 else ""))
            try:
                core = outliner.outlined(part, symbol)
                made = typed_program(self.unit, core.function, self.budget, core.own, not self.options.guard)
                self._keep_part(function, part, core, made)
                told = f"the region of function '{function.name}' that starts here is function '{symbol}'"
                self.remarks.append(SourceRemark(part.loc, told))
                done.append(region)
            except Refused as error:
                self._refuse(error, part.loc, f"a region of function '{function.name}' stays in C")
        return tuple(done)

    def _symbol(self, name: str) -> str:
        while name in self.unit.routines or name in self.unit.globals:
            name += "_"
        return name

    def _keep_part(self, function: st.Function, part: Part, core: Outlined, made: Function) -> None:
        span = (part.span.start, part.span.end) if part.span is not None else None
        made = replace(made, part=PartOf(function.name, core.call, span, _own(core)))
        self._keep(made, core.function)
        self.loops.read(part.body, made)

    # ---- variables of the file ---------------------------------------------------------------------

    def variables(self) -> Variables:
        """The variables of the file, beside the functions that were found."""
        return Variables(self.unit, frozenset(f.name for f in (*self.found, *self.written)))

    def refuse_shared(self) -> None:
        """Refuse functions that use a variable which the module cannot have, until there is none."""
        while True:
            variables = self.variables()
            found = {
                name: error
                for name in used_in([*self.found, *self.written])
                if (error := variables.obstacle(name)) is not None
            }
            if not found:
                return
            for function in [*self.found, *self.written]:
                why = next((found[name] for name in used_in([function]) if name in found), None)
                if why is not None:
                    self._take_out(function, why)

    def _take_out(self, function: Function, why: Refused) -> None:
        (self.found if function in self.found else self.written).remove(function)
        self.guards.pop(function.name, None)
        self.loops.take_out(function, why)
        self.remarks = [r for r in self.remarks if f"'{function.name}'" not in r.reason]
        self._refuse(why, function.loc, f"function '{function.name}' stays in {self.unit.language}")

    def used(self) -> list[str]:
        """The variables that the module has: used ones, and if nothing stays in C all that others may ask for."""
        variables, names = self.variables(), list(used_in([*self.found, *self.written]))
        if (self.found or self.written) and not variables.left:
            for name in (name for name in exported(self.unit) if name not in names):
                error = variables.obstacle(name)
                if error is None:
                    names.append(name)
                else:
                    self._refuse(error, error.loc, f"variable '{name}' is not in the module")
        return names
