"""A function of the core as one of the module: its typed program, or as C has it, with the test of its assumptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from raising.frontend.c.found_functions import FoundFunctions
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.integers_by_address import read_at_start
from raising.frontend.core.traverse import statements
from raising.frontend.lower.emit.fallback_text import original_text, written_text
from raising.frontend.lower.emit.runtime_check import holds_text
from raising.frontend.lower.from_core.function_to_typed import original
from raising.frontend.lower.ir.module import Refused, SourceRemark
from raising.frontend.lower.ir.nodes import Assumption, Cond, Function
from raising.frontend.lower.jumps.exits_as_flags import with_exits_as_flags
from raising.frontend.lower.jumps.without_jumps import without_jumps
from raising.frontend.lower.known.state import Budget
from raising.frontend.lower.passes.mem2reg import promoted
from raising.frontend.lower.passes.places_of_fields import with_places_of_fields, without_places
from raising.frontend.lower.typed_program import branches_that_stay, typed_program
from raising.support.record import dataclass


@dataclass
class FunctionReader:
    """Reads functions into a module; with `guarded`, each has a test of what is assumed of it, or is refused.

    What runs where a test fails is part of the module if there is to be a `fallback`.
    """

    found: FoundFunctions
    guarded: bool
    budget: Budget
    fallback: bool

    def typed(
        self, function: st.Function, whole: frozenset[str] = frozenset(), budget: Budget | None = None
    ) -> Function:
        """The typed program of a function; parameters in `whole` are arrays that overlap nothing."""
        made = typed_program(self.found.unit, function, budget or self.budget, whole, not self.guarded)
        if not self.guarded:
            return without_places(made)
        made = replace(made, assumptions=(*made.assumptions, *_of_declared_rows(made)))
        return made if self.fallback else with_places_of_fields(made)

    def whole(self, function: st.Function) -> tuple[Function, st.Function]:
        """The typed program of a function, which takes integers for their addresses if it is refused with these."""
        try:
            return self.typed(function), function
        except Refused as error:
            other = read_at_start(function)
            if other is None:
                raise
            try:
                return self.typed(other), other
            except Refused:
                raise error from None

    def keep(self, made: Function, core: st.Function, remarks: Iterable[SourceRemark] = ()) -> None:
        """A function that was read belongs to the module; `Refused` if it has no test."""
        if self.guarded and made.assumptions:
            self.found.guards[made.name] = self.guard(made, core)
        self.found.remark(made.name, [*branches_that_stay(made), *remarks])
        self.found.lowered.append(made)

    def guard(self, made: Function, core: st.Function) -> str:
        """The test of what is assumed of a function, and what it does else; `Refused` if it has none."""
        untested = next((a for a in made.assumptions if not (a.conds or a.apart or a.ranges)), None)
        if untested is not None:
            raise Refused(untested.loc, f"that {untested.text} cannot be tested at run time")
        if not self.fallback:
            return holds_text(made)
        unit, core, _ = without_jumps(self.found.unit, core, False)
        literal = promoted(original(unit, core, self.budget))
        if not {p.name for p in literal.parameters} <= {p.name for p in made.parameters}:
            raise Refused(made.loc, "what is left out of the loops uses parameters that they do not")
        return "\n".join((holds_text(made), original_text(literal, made)))

    @cached_property
    def _flagged(self) -> st.Unit:
        """The unit with flags in place of jumps that leave loops, for what is written as it is."""
        unit = self.found.unit
        changed = {name: with_exits_as_flags(function) for name, function in unit.routines.items()}
        return replace(unit, routines=changed)

    def write(self, function: st.Function, why: Refused) -> bool:
        """The function as it is written, in place of its tensor program; whether it can be."""
        try:
            unit, core, _ = without_jumps(self._flagged, self._flagged.routines[function.name], False)
            made = promoted(original(unit, core, self.budget, alone=True))
            left = [a for a in made.assumptions if not a.apart]
            if left and self.guarded:
                return False
            made = replace(made, assumptions=())
            self.found.guards[made.name] = written_text(made, self.found.variables().shaped(made))
        except Refused:
            return False
        self.found.written.append(made)
        for loop in (s for s in statements(function.body or ()) if isinstance(s, st.Loop)):
            self.found.loops.refuse(loop, why)
        self.found.refuse(why, function.loc, f"function '{function.name}' is written as it is")
        told = (SourceRemark(a.loc, f"assumed in '{function.name}': {a.text}") for a in left)
        self.found.remark(function.name, told)
        return True


def _of_declared_rows(made: Function) -> list[Assumption]:
    """That declared rows have elements: C has no others (C11 6.7.6.2p5), but compilers take any number for one."""
    arrays = (made.arrays[p.name] for p in made.parameters if p.value is None)
    lengths = dict.fromkeys(form for a in arrays if a.told for form in a.shape[1:] if form is not None and form.names())
    least = [form - 1 for form in lengths if made.facts.proves(form - 1)]
    return [Assumption(made.loc, f"{one.at_least_zero}: C has no rows without elements", (Cond(one),)) for one in least]
