"""Which parts of a function can be read, where it cannot be read whole: the largest runs of loop nests that can.

A part begins and ends with a loop, or with a branch around loops, of one block, and holds what stands in between. A
nest that cannot be read is searched for parts inside of it. Whether a run can be read is tried, so that there is one
definition of what static control is: what lowering takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from typing import Generic, TypeVar

from raising.frontend.c.parts.outlining import Part
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import leaves
from raising.frontend.core.live_variables import Liveness
from raising.frontend.core.traverse import Body, bodies, statements
from raising.frontend.lower.ir.module import Refused
from raising.support.record import dataclass
from raising.support.source import Loc

Read = TypeVar("Read")
Nest = st.Loop | st.If
_BARRIERS = (st.Refused, st.Goto, st.Label, st.Return, st.Break, st.Continue, st.Region)
_WORD = re.compile(rb"\w*")
_BRACES = re.compile(rb"""[{}]|(?:"(?>[^"\\]+|\\.)*+"|'(?>[^'\\]+|\\.)*+'|/\*.*?\*/|//[^\n]*)""", re.DOTALL)
_END = re.compile(rb"(?>\s+|/\*(?>[^*]+|\*(?!/))*+\*/|//[^\n]*)*+;")


@dataclass
class Search(Generic[Read]):
    """Looks for the parts of a function; `found` are they in the order of the text, `refused` why loops are in none.

    `read` makes something of a part, or raises `Refused`. `text` is that of the file. Regions that are parts already
    are left out (`taken`).
    """

    text: bytes
    live: Liveness
    read: Callable[[Part], Read]
    taken: tuple[st.Region, ...] = ()
    found: list[tuple[Part, Read]] = field(default_factory=list)
    refused: list[tuple[st.Loop, Refused]] = field(default_factory=list)

    def block(self, body: Body) -> None:
        """The parts of a block, and of the blocks in it."""
        begin = k = 0
        while k < len(body):
            item = body[k]
            if any(item is region for region in self.taken) or not has_loop(item):
                k += 1
                continue
            first = _first(body, begin, k)
            try:
                k, part, made = self._longest(body, first, k, *self._tried(body, first, k))
                self.found.append((part, made))
            except Refused as why:
                self.refused += [(item, why)] if isinstance(item, st.Loop) else []
                for inner in bodies(item):
                    self.block(inner)
            begin = k = k + 1

    def _tried(self, body: Body, first: int, last: int) -> tuple[Part, Read]:
        item = body[last]
        if not isinstance(item, Nest) or any(part is region for part in statements((item,)) for region in self.taken):
            raise Refused(item.loc, "a part of it is marked")
        part = self._part(body, first, last)
        if part.span is not None and not _is_balanced(self.text[part.span.start : part.span.end]):
            raise Refused(item.loc, "it ends in another block than it begins in")
        return part, self.read(part)

    def _longest(self, body: Body, first: int, last: int, part: Part, made: Read) -> tuple[int, Part, Read]:
        """The last statement of the longest part that can be read, of which the one to `last` can, and that part."""
        ends: list[int] = []
        for k in range(last + 1, len(body)):
            item = body[k]
            if isinstance(item, _BARRIERS) or leaves(item):
                break
            if has_loop(item) and isinstance(item, Nest):
                ends.append(k)
        tries = [ends[-1:], ends[:-1]] if len(ends) > 1 else [ends]
        for some in tries:
            try:
                for end in some:
                    part, made = self._tried(body, first, end)
                    last = end
            except Refused:
                continue
            if some:
                break
        return last, part, made

    def _part(self, body: Body, first: int, last: int) -> Part:
        nest = next(item for item in body[first : last + 1] if isinstance(item, Nest) and has_loop(item))
        end = body[last]
        assert isinstance(end, Nest)
        return Part(body[first : last + 1], nest.loc, self.live.behind(end), self._span(nest, end))

    def _span(self, first: Nest, last: Nest) -> st.Span | None:
        """Where a part stands, with the semicolon at its end; None if a macro makes an end of it."""
        if not self._is_written(first) or not self._is_written(last):
            return None
        assert first.span is not None and last.span is not None
        end = _END.match(self.text, last.span.end)
        if end is None and self.text[last.span.end - 1 : last.span.end] != b"}":
            return None
        return st.Span(first.span.start, end.end() if end is not None else last.span.end)

    def _is_written(self, item: Nest) -> bool:
        word = item.keyword if isinstance(item, st.Loop) else "if"
        return (
            item.span is not None and _WORD.findall(self.text, item.span.start, item.span.start + 6)[0] == word.encode()
        )


def _first(body: Body, begin: int, k: int) -> int:
    """The first of the statements that stand before another one, but are written in it: `for (i = 0; ...)`."""
    start = _position(body[k].loc)
    while k > begin and not isinstance(body[k - 1], Nest) and _position(body[k - 1].loc) >= start:
        k -= 1
    return k


def _is_balanced(text: bytes) -> bool:
    """Whether a text ends in the block in which it begins; a body that runs once is part of the block around it."""
    depth = 0
    for brace in _BRACES.findall(text):
        depth += {b"{": 1, b"}": -1}.get(brace, 0)
        if depth < 0:
            return False
    return depth == 0


def _position(loc: Loc) -> tuple[int, int]:
    return loc.line, loc.col


def has_loop(item: st.Stmt) -> bool:
    """True for a loop, and for what has one inside."""
    return any(isinstance(part, st.Loop) for part in statements((item,)))
