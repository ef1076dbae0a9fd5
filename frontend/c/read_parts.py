"""The parts of a function that stays in C: its marked regions, and its loops as far as they can be read."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from raising.frontend.c.parts.held_pointers import HeldPointer
from raising.frontend.c.parts.outlining import Outlined, Outliner, Part
from raising.frontend.c.parts.parts_of_functions import Search
from raising.frontend.c.read_function import FunctionReader
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import statements
from raising.frontend.core.types import Pointer
from raising.frontend.lower.ir.module import Refused, SourceRemark
from raising.frontend.lower.ir.nodes import Assumption, Function, PartOf
from raising.frontend.lower.known.state import Budget
from raising.support.record import dataclass
from raising.support.source import unused_name


@dataclass
class PartReader:
    """Makes functions of the parts of functions; loops share a budget of their own, since many of them are tried."""

    reader: FunctionReader
    text: bytes
    budget: Budget

    def parts(self, function: st.Function) -> None:
        """Functions of the marked regions, and of the loops that can be read."""
        outliner = Outliner(self.reader.found.unit, function)
        done = self._regions(function, outliner)
        search = Search(self.text, outliner.live, partial(self._read, outliner), done)
        search.block(function.body or ())
        for loop, why in search.refused:
            self.reader.found.loops.refuse(loop, why)
        for k, (part, (core, made)) in enumerate(search.found, 1):
            symbol = self._symbol(f"{function.source}_loop{k}")
            end = part.end.line
            lines = f"from line {part.loc.line} to {end}" if end > part.loc.line else f"of line {end}"
            told = f"the loops of function '{function.name}' {lines} are function '{symbol}'"
            self._keep(function, part, core.named(symbol), replace(made, name=symbol), told)

    def _read(self, outliner: Outliner, part: Part) -> tuple[Outlined, Function]:
        """A part as a function: with integers that it computes itself, or passed, or with pointers in memory passed."""
        known = outliner.known(part)
        if known:
            with contextlib.suppress(Refused):
                return self._read_as(outliner, part, known)
        try:
            return self._read_as(outliner, part, {})
        except Refused as why:
            held = outliner.held(part)
            if held:
                with contextlib.suppress(Refused):
                    return self._read_as(outliner, part, {}, held)
            raise why

    def _read_as(
        self, outliner: Outliner, part: Part, known: Mapping[str, ex.Expr], held: tuple[HeldPointer, ...] = ()
    ) -> tuple[Outlined, Function]:
        core = outliner.outlined(part, f"{outliner.function.name}_loop", known, held)
        made = self.reader.typed(core.function, core.own, self.budget)
        if made.branches:
            raise Refused(made.branches[0][0], f"a branch on data: {made.branches[0][1]}")
        made = replace(made, assumptions=(*made.assumptions, *(Assumption(part.loc, text) for text in core.assumed)))
        if self.reader.guarded and made.assumptions:
            self.reader.guard(made, core.function)  # which refuses a part that has none
        return core, made

    def _regions(self, function: st.Function, outliner: Outliner) -> tuple[st.Region, ...]:
        """Functions of the marked regions; those that are."""
        found, done = [s for s in statements(function.body or ()) if isinstance(s, st.Region)], []
        for k, region in enumerate(found, 1):
            part = Part(region.body, region.loc, outliner.live.behind(region), region.span)
            symbol = self._symbol(f"{function.source}_scop" + (f"_{k}" if len(found) > 1 else ""))
            told = f"the region of function '{function.name}' that starts here is function '{symbol}'"
            try:
                core = outliner.outlined(part, symbol)
                self._keep(function, part, core, self.reader.typed(core.function, core.own), told)
                done.append(region)
            except Refused as error:
                self.reader.found.refuse(error, part.loc, f"a region of function '{function.name}' stays in C")
        return tuple(done)

    def _symbol(self, name: str) -> str:
        unit = self.reader.found.unit
        return unused_name(name, unit.routines.keys() | unit.globals.keys())

    def _keep(self, function: st.Function, part: Part, core: Outlined, made: Function, told: str) -> None:
        span = (part.span.start, part.span.end) if part.span is not None else None
        made = replace(made, part=PartOf(function.name, core.call, span, _own(core)))
        self.reader.keep(made, core.function, [SourceRemark(part.loc, told)])
        self.reader.found.loops.read(part.body, made)


def _own(part: Outlined) -> frozenset[str]:
    """The parameters of a part that are addresses of variables which nothing else points to."""
    found = (p for p in part.function.parameters if isinstance(p.type, Pointer) and p.type.restrict)
    return frozenset(p.name for p in found if p.name.endswith("_at"))
