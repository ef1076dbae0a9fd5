"""The text of an e-graph, block by block: classes, their nodes, and what they need from other blocks."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any, NamedTuple

from raising.eqsat.persist.dominance import Path
from raising.support.record import dataclass

CLASS = "equivalence.class"
_CLASS_NAME = re.compile(r"%c(\d+)\b")


class Copy(NamedTuple):
    """A node that is a copy of a template: its value's name and type (also as text), its operands as classes."""

    name: str
    text: str
    type: Any
    template: int
    operands: list[int]


@dataclass
class Written:
    """A class: the operations of its nodes as text or as copies, its members by name, and the classes they need."""

    type: str
    operations: list[str] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    needs: list[int] = field(default_factory=list)


@dataclass
class Scope:
    """One block that is written: the classes in it, those that it needs from outside, and the leaves that it uses.

    It `stays` if it is no part of a term.
    """

    path: Path
    depth: int
    stays: bool = False
    classes: dict[int, Written] = field(default_factory=dict)
    operations: set[int] = field(default_factory=set)
    outside: dict[int, None] = field(default_factory=dict)
    leaves: dict[int, None] = field(default_factory=dict)
    visible: dict[int, bool] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The operations of all nodes, and an operation for each class."""
        found: list[str] = []
        for klass, written in self.classes.items():
            kinds = ", ".join([written.type] * len(written.members))
            found += written.operations
            found.append(f'%c{klass} = "{CLASS}"({", ".join(written.members)}) : ({kinds}) -> {written.type}')
        return found

    def plain(self) -> list[str] | None:
        """The operations in order, if each class has one node and none needs itself; then no class has to be said."""
        if any(len(w.members) != 1 or len(w.operations) > 1 for w in self.classes.values()):
            return None
        found: list[str] = []
        done: set[int] = set()
        while len(done) < len(self.classes):
            ready = [
                k for k, w in self.classes.items() if k not in done and not set(w.needs) & self.classes.keys() - done
            ]
            if not ready:
                return None
            done |= set(ready)
            found += [line for k in ready for line in self.classes[k].operations]
        return [self.without_classes(line) for line in found]

    def renamed(self, line: str) -> str:
        """A line with names for the classes of this block that no block around it has."""
        return _CLASS_NAME.sub(lambda m: f"{m[0]}_{self.depth}" if int(m[1]) in self.classes else m[0], line)

    def without_classes(self, line: str) -> str:
        """A line with the only members of classes in place of these."""
        return _CLASS_NAME.sub(
            lambda m: self.classes[int(m[1])].members[0] if int(m[1]) in self.classes else m[0], line
        )


@dataclass
class Region:
    """A region as text, and what is in it."""

    scope: Scope
    lines: list[str]
