"""The fate of each loop of a file: the functions of the module that contain it, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from raising.frontend.core import statement_nodes as st
from raising.frontend.core.known_callees import called
from raising.frontend.core.traverse import statements
from raising.frontend.lower.ir.module import Refused, SourceLoop
from raising.frontend.lower.ir.nodes import For, Function, Node, parts
from raising.support.record import dataclass
from raising.support.source import Loc

_UNUSED = "its function is not used"


@dataclass
class Loops:
    """The loops of a file, or of one of its functions, while functions are read."""

    unit: st.Unit
    file: str
    function: str | None
    _within: dict[Loc, list[tuple[str, tuple[Loc, ...]]]] = field(default_factory=dict)
    _reasons: dict[Loc, str] = field(default_factory=dict)

    def read(self, body: tuple[st.Stmt, ...], made: Function) -> None:
        """These statements, with what they call, are a function of the module."""
        around = dict(_nested(made.body, ()))
        bodies = [body, *(f.body or () for f in called(self.unit, body))]
        for item in (item for b in bodies for item in statements(b)):
            if isinstance(item, st.Loop):
                self._within.setdefault(item.loc, []).append((made.name, around.get(item.loc, ())))

    def refuse(self, loop: st.Loop, why: Refused) -> None:
        """A loop stays in C."""
        place = f" ({why.loc})" if why.loc.line and why.loc != loop.loc else ""
        self._reasons.setdefault(loop.loc, why.reason + place)

    def take_out(self, function: Function, why: Refused) -> None:
        """A function that was read is not in the module."""
        for place, found in self._within.items():
            if any(name == function.name for name, _ in found):
                found[:] = [entry for entry in found if entry[0] != function.name]
                self._reasons.setdefault(place, why.reason)

    def listed(self) -> tuple[SourceLoop, ...]:
        """All loops that stand in the file, in its order, each once."""
        found: dict[Loc, SourceLoop] = {}
        for function in self.unit.routines.values():
            if self.function not in (None, function.name):
                continue
            for item in statements(function.body or ()):
                if isinstance(item, st.Loop) and item.loc.file == self.file:
                    within = tuple(self._within.get(item.loc, ()))
                    reason = "" if within else self._reasons.get(item.loc, _UNUSED)
                    found.setdefault(item.loc, SourceLoop(item.loc, function.name, within, reason))
        return tuple(sorted(found.values(), key=lambda loop: (loop.place.line, loop.place.col)))


def _nested(nodes: tuple[Node, ...], around: tuple[Loc, ...]) -> Iterator[tuple[Loc, tuple[Loc, ...]]]:
    """Each loop with the loops around it, itself last."""
    for node in nodes:
        inside = (*around, node.loc) if isinstance(node, For) else around
        if isinstance(node, For):
            yield node.loc, inside
        for part in parts(node):
            yield from _nested(part, inside)
