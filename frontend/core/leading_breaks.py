"""Loops that begin by asking whether they end: the question becomes part of their condition.

before  while (1) { t = …; if (c) break; … }
after   while (t = …, !c) { … }
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.support.source import Loc


def early_exit(node: st.Loop) -> Loc | None:
    """Where a loop with a condition may be left before the first thing that it does."""
    first = node.body[0] if node.body else None
    endless = isinstance(node.condition, ex.Literal)
    if endless or not isinstance(first, st.If) or not first.then or not isinstance(first.then[0], st.Break):
        return None
    return first.then[0].loc


def leaving_first(node: st.Loop) -> st.Loop:
    """`while (1) { if (c) break; … }` as `while (!c) { … }`; what stands before belongs to the test."""
    endless = isinstance(node.condition, ex.Literal) and bool(node.condition.value) and not node.test
    k = 0
    while endless and k < len(node.body) and isinstance(node.body[k], st.Assign | st.Declare):
        k += 1
    if k < len(node.body) and (endless or (node.tests_first and not node.test)):
        item, rest = node.body[k], node.body[k + 1 :]
        if isinstance(item, st.If) and len(item.then) == 1 and isinstance(item.then[0], st.Break):
            holds = build.negated(item.condition, item.loc)
            both = holds if endless else build.both(node.condition, holds, item.loc)
            body = (*item.otherwise, *rest)
            return leaving_first(replace(node, test=node.body[:k], condition=both, body=body, tests_first=True))
    return node
