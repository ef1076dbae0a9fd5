"""A function, and those that it calls, without the jumps that become branches and minima."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import statements
from raising.frontend.lower.ir.nodes import Assumption
from raising.frontend.lower.jumps.early_exits import without_early_exits
from raising.frontend.lower.jumps.exchanged_pointers import with_pointers_back
from raising.frontend.lower.jumps.extreme_places import with_places_apart
from raising.frontend.lower.jumps.flag_exits import with_flags_as_exits
from raising.frontend.lower.jumps.forward_gotos import gotos_as_breaks, unused_labels_dropped, without_gotos


def without_jumps(
    unit: st.Unit, function: st.Function, lengths: bool
) -> tuple[st.Unit, st.Function, tuple[Assumption, ...]]:
    """The unit and the function without these jumps, and what that assumes; without `lengths`, nothing is assumed of
    how long arrays are, so that loops are not rewritten."""
    function, assumed = _one(unit, function, lengths)
    changed: dict[str, st.Function] = {}
    pending, seen = [function], {function.name}
    while pending:
        for name in (s.callee for s in statements(pending.pop().body or ()) if isinstance(s, st.Call)):
            if isinstance(name, str) and name not in seen and unit.routines[name].body is not None:
                seen.add(name)
                made, more = _one(unit, unit.routines[name], lengths)
                pending.append(made)
                if made is not unit.routines[name]:
                    changed[name], assumed = made, (*assumed, *more)
    return (replace(unit, routines={**unit.routines, **changed}) if changed else unit), function, assumed


def _one(unit: st.Unit, function: st.Function, lengths: bool) -> tuple[st.Function, tuple[Assumption, ...]]:
    function = with_pointers_back(function)
    jumps = any(isinstance(s, st.Goto) for s in statements(function.body or ()))
    made = replace(function, body=gotos_as_breaks(function.body or ())) if jumps else function
    made, assumed = _left_early(unit, made) if lengths else (made, ())
    made, more = with_places_apart(unit, made, lengths)
    if jumps:
        made = replace(made, body=unused_labels_dropped(without_gotos(made.body or ())))
    return made, (*assumed, *more)


def _left_early(unit: st.Unit, function: st.Function) -> tuple[st.Function, tuple[Assumption, ...]]:
    """The function without early exits; flags become exits where that helps."""
    flagged = with_flags_as_exits(function)
    made, assumed = without_early_exits(unit, flagged)
    return (made, assumed) if assumed or flagged is function else (function, ())
