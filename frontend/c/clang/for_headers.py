"""The three parts of a `for`: clang leaves out those that are not there and does not say which."""

from __future__ import annotations

import re

from raising.frontend.c.clang.cursor import Node

_TOKEN = re.compile(rb"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[();{}]|.""", re.DOTALL)


def loop_header(node: Node) -> tuple[Node | None, Node | None, Node | None, Node] | None:
    """The first statement of a `for`, its condition, step and body; None if they cannot be told apart."""
    *parts, body = node.children
    if not parts or len(parts) == 3:
        first, test, step = parts or (None, None, None)
        return first, test, step, body
    ends = _semicolons(node)
    if ends is None:
        return None
    found: list[Node | None] = [None, None, None]
    for part in parts:
        start = part.written[1].start
        found[sum(start > end for end in ends)] = part
    return found[0], found[1], found[2], body


def _semicolons(node: Node) -> tuple[int, int] | None:
    """Where the two semicolons of a header stand, if it is written in one piece in the file."""
    text, span = node.written
    start, end = span.start, node.children[-1].written[1].end
    inside = [child.written for child in node.children]
    if text[start : start + 3] != b"for" or any(
        other is not text or not start < part.start < end for other, part in inside
    ):
        return None
    depth, found = 0, []
    for token in _TOKEN.finditer(text, start + 3, end):
        if token.group() in (b"(", b"{"):
            depth += 1
        elif token.group() in (b")", b"}"):
            depth -= 1
            if depth == 0:
                break
        elif token.group() == b";" and depth == 1:
            found.append(token.start())
    return (found[0], found[1]) if len(found) == 2 else None
