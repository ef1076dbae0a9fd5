"""Where control leaves statements before their end: by `return`, `break`, `continue` or `goto`."""

from __future__ import annotations

from collections.abc import Iterator

from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, bodies, statements

_JUMPS = st.Return | st.Break | st.Continue


def has_jump(body: Body, kind: type[st.Break] | type[st.Continue]) -> bool:
    """Whether a `break` (or `continue`) in statements belongs to the loop or switch that these are the body of."""
    inner = st.Loop | st.Switch if kind is st.Break else st.Loop
    return any(
        isinstance(s, kind) or (not isinstance(s, inner) and any(has_jump(part, kind) for part in bodies(s)))
        for s in body
    )


def returns(body: Body) -> Iterator[st.Return]:
    """The `return`s in statements."""
    return (s for s in statements(body) if isinstance(s, st.Return))


def leaves(stmt: st.Stmt) -> bool:
    """Whether control may go from inside of a statement to somewhere outside of it, other than behind its end."""
    if isinstance(stmt, _JUMPS):
        return True
    if isinstance(stmt, st.Loop):
        return any(returns((stmt,)))
    inside = [s for body in bodies(stmt) for s in body]
    if isinstance(stmt, st.Switch):
        return any(leaves(s) and not _only_breaks(s) for s in inside)
    return any(map(leaves, inside))


def _only_breaks(stmt: st.Stmt) -> bool:
    """Whether no jump but `break` leaves a statement of a switch."""
    if isinstance(stmt, st.Loop | st.Switch):
        return not leaves(stmt)
    if isinstance(stmt, _JUMPS):
        return isinstance(stmt, st.Break)
    return all(_only_breaks(s) for body in bodies(stmt) for s in body)


def ends(body: Body) -> bool:
    """Whether control never comes to the end of statements, because a jump stands in front of it."""
    ended = False
    for s in body:
        in_branches = isinstance(s, st.If) and ends(s.then) and ends(s.otherwise)
        ended = (ended and not isinstance(s, st.Label)) or isinstance(s, _JUMPS | st.Goto) or in_branches
    return ended
