"""Loops of a known number of iterations, unrolled where they are read no other way.

A loop whose counter does not go in equal steps has no closed form, and neither has what it reads of a table. If the
condition is known in each iteration, the body can stand as often as it runs; then counters are numbers, and so is
what a constant table holds at them.

    before  for (h = 1; h < 8; h *= 2) x[i] += y[i + h];      for (k = 0; k < 2; k++) s += x[i + dx[k]];
    after   x[i] += y[i + 1]; x[i] += y[i + 2]; …             s += x[i + 1]; s += x[i + -1];
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod

from raising.frontend.core import statement_nodes as st
from raising.frontend.lower.from_core.conditions import formula
from raising.frontend.lower.from_core.statement_order import run
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import For, If, Node, parts, walk
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Demote
from raising.support.source import Loc

MAX_COPIES = 64  # of the body of one loop
MAX_UNCERTAIN = 16  # of a loop that is read as it is, but may be better unrolled
MAX_UNROLLED = 1024  # operations of one loop: code that is longer takes long to make cheaper, and is no faster


def counted_or_unrolled(state: State, node: st.Loop, counted: Callable[[], None]) -> None:
    """A loop as `counted` lowers it; unrolled if that refuses it, or if it is to be unrolled.

    If it cannot be unrolled, either, it is refused for the first reason.
    """
    wanted = state.choices.unrolled
    if wanted is None:
        return counted()
    mark, frame, splits = state.mark(), state.frame, state.splits
    reason: Refused | Demote | None = None
    if node.loc not in wanted:
        try:
            return counted()
        except (Refused, Demote) as error:
            reason = error
        state.frame, state.splits = frame, splits
        state.restore(mark)
    try:
        _unrolled(state, node)
    except Refused as error:
        raise reason or error from None


def _unrolled(state: State, node: st.Loop) -> None:
    """The iterations of a loop, one after the other; `Refused` if it is not known how many they are."""
    written = 0
    for copies in range(MAX_COPIES + 1):
        if (copies or node.tests_first) and not _goes_on(state, node):
            return
        if copies == MAX_COPIES or written > MAX_UNROLLED:
            break
        before = len(state.nodes)
        run(state, node.body)
        run(state, node.step)
        written += sum(1 for _ in walk(tuple(state.nodes[before:])))
    raise Refused(node.loc, f"the loop has more than {MAX_COPIES} iterations, or is too large to be unrolled")


def _goes_on(state: State, node: st.Loop) -> bool:
    run(state, node.test)
    found = formula(state, node.condition)
    if found != () and (found is None or () not in found):
        raise Refused(node.condition.loc, "the loop's condition is not known")
    return found != ()


def loop_to_unroll(
    body: tuple[Node, ...], places: Iterable[Loc], but: frozenset[Loc], most: int = MAX_COPIES
) -> Loc | None:
    """The innermost loop of at most so many iterations around what is at one of some places, and that is none of `but`.

    What stands at a place may be there several times.
    """
    wanted = set(places)
    around = (tuple(loops) for node, loops in _with_loops(body, []) if node.loc in wanted)
    for loops in around:
        for loop in reversed(loops):
            if loop.loc not in but and 0 < _trips(loop) <= most:
                return loop.loc
    return None


def loops_of_alternatives(body: tuple[Node, ...]) -> frozenset[Loc]:
    """The short loops whose counters are asked for in a branch on any of several conditions.

    No loop nest says which iterations those are; unrolled, they are known: `if (dx || dy)` around a middle.
    """
    found: set[Loc] = set()
    for node, loops in _with_loops(body, []):
        if isinstance(node, If) and len(node.when) > 1:
            asked = {name for conds in node.when for cond in conds for form in cond.forms for name in form.names()}
            counted = {loop.loc: _trips(loop) for loop in loops if loop.iv in asked}
            if counted and 0 < prod(counted.values()) <= MAX_COPIES and max(counted.values()) <= MAX_UNCERTAIN:
                found |= counted.keys()
    return frozenset(found)


def _with_loops(nodes: tuple[Node, ...], loops: list[For]) -> Iterator[tuple[Node, list[For]]]:
    """Every node with the loops around it, outermost first."""
    for node in nodes:
        yield node, loops
        inner = [*loops, node] if isinstance(node, For) else loops
        for part in parts(node):
            yield from _with_loops(part, inner)


def _trips(loop: For) -> int:
    """The number of a loop's iterations, 0 if it is not known."""
    lower, upper = ([form.constant for form in forms] for forms in (loop.lower, loop.upper))
    low, high = ([c for c in bounds if c is not None] for bounds in (lower, upper))
    if len(low) < len(lower) or len(high) < len(upper):
        return 0
    return max(-((max(low) - min(high)) // loop.step), 0)
