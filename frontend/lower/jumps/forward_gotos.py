"""Jumps forward to a label: what they leave out goes into the other side of the branch that they stand in.

`if (bad) { rc = -1; goto done; } REST done: TAIL` becomes `if (bad) { rc = -1; } else { REST } TAIL`. A `goto` that
leaves a loop, goes back or into a statement stays as it is, and is refused when it is lowered.

    before  if (n > 8) goto end; x[0] = 1; end: x[1] = 2;
    after   if (n > 8) { } else { x[0] = 1; } x[1] = 2;
"""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import ends
from raising.frontend.core.traverse import Body, bodies, map_bodies, nodes_of, statements

MAX_COPIES = 2_000
"""Statements that a sequence may grow to."""


def without_gotos(body: Body) -> Body:
    """The statements, in which a forward `goto` whose label stands beside it or around it is gone, with labels that
    nothing jumps to."""
    return _labelled(tuple(map_bodies(item, without_gotos) for item in body))


def gotos_as_breaks(body: Body) -> Body:
    """The statements with a `break` in place of each `goto` to the label behind the loop that it stands in."""
    out: list[st.Stmt] = []
    for item, behind in zip_longest(body, body[1:]):
        item = map_bodies(item, gotos_as_breaks)
        if isinstance(item, st.Loop) and isinstance(behind, st.Label):
            item = replace(item, body=_with_breaks(item.body, behind.label))
        out.append(item)
    return tuple(out)


def _with_breaks(body: Body, label: str) -> Body:
    out: list[st.Stmt] = []
    for item in body:
        if isinstance(item, st.Goto) and item.label == label:
            out.append(st.Break(item.loc))
        elif isinstance(item, st.If):
            out.append(map_bodies(item, lambda part: _with_breaks(part, label)))
        else:
            out.append(item)
    return tuple(out)


def without_continues(body: Body) -> Body | None:
    """The body of a loop, in which what a `continue` leaves out is in the other side of its branch.

    None if a `continue` stands in a switch.
    """
    end = "(continue)"

    def as_gotos(part: Body) -> Body:
        gotos = (st.Goto(end, s.loc) if isinstance(s, st.Continue) else s for s in part)
        return tuple(s if isinstance(s, st.Loop) else map_bodies(s, as_gotos) for s in gotos)

    made = _labelled((*as_gotos(body), st.Label(end, body[-1].loc)))
    return None if _goes_to(made, end) else tuple(s for s in made if not (isinstance(s, st.Label) and s.label == end))


def unused_labels_dropped(body: Body) -> Body:
    """The statements without labels that no `goto` in them names."""
    used = {s.label for s in statements(body) if isinstance(s, st.Goto)}
    return _dropped(body, used)


def _dropped(body: Body, used: set[str]) -> Body:
    kept = (s for s in body if not (isinstance(s, st.Label) and s.label not in used))
    return tuple(map_bodies(s, lambda part: _dropped(part, used)) for s in kept)


def _labelled(body: Body) -> Body:
    """A sequence, the first of its labels first: what goes to one of them from in front of it is resolved."""
    for k, label in enumerate(body):
        if isinstance(label, st.Label) and _goes_to(body[:k], label.label):
            head, tail = body[:k], body[k + 1 :]
            jumping = (s for s in head if _goes_to((s,), label.label))
            if _goes_to(tail, label.label) or not all(map(_in_branches, jumping)):
                continue
            made = _without(head, label.label)
            if made is None:
                continue
            hoisted, made = _hoisted(made, tail, head)
            return _labelled((*hoisted, *(map_bodies(s, without_gotos) for s in made), *tail))
    return body


def _goes_to(body: Body, label: str) -> bool:
    return any(isinstance(s, st.Goto) and s.label == label for s in statements(body))


def _in_branches(item: st.Stmt) -> bool:
    """True if each `goto` in a statement stands in branches only."""
    if isinstance(item, st.Goto):
        return True
    if not isinstance(item, st.If):
        return False
    return all(_in_branches(s) for part in bodies(item) for s in part if _holds_goto(s))


def _holds_goto(item: st.Stmt) -> bool:
    return any(isinstance(s, st.Goto) for s in statements((item,)))


def _without(body: Body, label: str) -> Body | None:
    """The statements up to a label, without jumps to it; None for too many."""
    out: list[st.Stmt] = []
    for k, item in enumerate(body):
        if isinstance(item, st.Goto) and item.label == label:
            return tuple(out)
        if isinstance(item, st.If) and _goes_to((item,), label):
            rest, sides = body[k + 1 :], []
            for side in (item.then, item.otherwise):
                found = _without((*side, *(() if ends(side) else rest)), label)
                if found is None or sum(1 for _ in statements(found)) > MAX_COPIES:
                    return None
                sides.append(found)
            return (*out, replace(item, then=sides[0], otherwise=sides[1]))
        out.append(item)
    return tuple(out)


def _hoisted(made: Body, tail: Body, head: Body) -> tuple[Body, Body]:
    """Variables that are declared in what became a side of a branch, and used behind the label: declared in front."""
    outer = {s.variable.name for s in head if isinstance(s, st.Declare)}
    still = {s.variable.name for s in made if isinstance(s, st.Declare)}
    used = {node.name for node in nodes_of(tail) if isinstance(node, ex.Name)}
    names = (outer - still) & used
    declared = {s.variable.name: s for s in head if isinstance(s, st.Declare) and s.variable.name in names}
    front = tuple(replace(s, variable=replace(s.variable, constant=False), initial=None) for s in declared.values())
    return front, _assigned(made, names)


def _assigned(body: Body, names: set[str]) -> Body:
    out: list[st.Stmt] = []
    for item in body:
        if isinstance(item, st.Declare) and item.variable.name in names:
            if isinstance(item.initial, ex.Expr):
                out.append(st.Assign(build.name(item.variable, item.loc), item.initial, item.loc))
            continue
        out.append(map_bodies(item, lambda part: _assigned(part, names)))
    return tuple(out)
