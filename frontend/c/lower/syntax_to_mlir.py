"""Syntax of C, as the Python front end makes it, to a module of affine MLIR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from raising.frontend.c.emit.mlir import Emitter
from raising.frontend.c.emit.module_text import module_text
from raising.frontend.c.emit.text import Locations
from raising.frontend.c.ir.module import CModule, CRemark, Refused, place
from raising.frontend.c.ir.nodes import Function
from raising.frontend.c.lower.calls import called_names
from raising.frontend.c.lower.function import flags, lower
from raising.frontend.c.lower.syntax_unit import Unit
from raising.frontend.c.passes.delinearise import delinearised
from raising.frontend.c.passes.if_conversion import selected
from raising.frontend.c.passes.mem2reg import promoted
from raising.support.record import dataclass


def module_of(unit: Unit, names: list[str], emitter: Callable[[Function, Locations], Emitter] = Emitter) -> CModule:
    """These functions of a file, as affine MLIR."""
    reader = _Reader(unit)
    for name in names:
        reader.function(name)
    return module_text(reader.found, [], reader.remarks, reader.refused, emitter=emitter)


@dataclass
class _Reader:
    """Reads functions; of one that is refused, those that it calls."""

    unit: Unit
    found: list[Function] = field(default_factory=list)
    remarks: list[CRemark] = field(default_factory=list)
    refused: list[CRemark] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def function(self, name: str) -> None:
        """A function; if it is refused, the functions that it calls, which are not inlined then."""
        if name in self.seen:
            return
        self.seen.add(name)
        node = self.unit.functions[name]
        try:
            self._read(node)
        except Refused as error:
            where = error.loc if error.loc.line else place(node.decl)
            told = f"function '{name}' stays in {self.unit.language}: {error.reason}"
            self.refused.append(CRemark(where, told))
            for other in called_names(node.body):
                if other in self.unit.functions:
                    self.function(other)

    def _read(self, node: Any) -> None:
        function = self._selected(node)
        for loc, why in function.branches:
            told = f"in '{function.name}': a branch on data stays a branch, and its loops are not raised: {why}"
            self.remarks.append(CRemark(loc, told))
        self.found.append(function)

    def _selected(self, node: Any) -> Function:
        """The function; parameters that only conditions ask for are data if all these conditions become selections."""
        function = promoted(selected(delinearised(lower(self.unit, node))))
        data = flags(function)
        if not data:
            return function
        try:
            other = promoted(selected(delinearised(lower(self.unit, node, demoted=data))))
        except Refused:
            return function
        return function if other.branches else other
