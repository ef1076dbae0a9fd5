"""One function of the core as the typed program that is written as MLIR: lowered, and every pass done to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.frontend.core import statement_nodes as st
from raising.frontend.lower.from_core.function_to_typed import flags, lower
from raising.frontend.lower.ir.module import Refused, SourceRemark
from raising.frontend.lower.ir.nodes import Function, forms_of, walk
from raising.frontend.lower.jumps.without_jumps import without_jumps
from raising.frontend.lower.known.data_positions import only_in_loads
from raising.frontend.lower.known.state import Budget
from raising.frontend.lower.passes.delinearise import delinearised
from raising.frontend.lower.passes.if_conversion import selected
from raising.frontend.lower.passes.mem2reg import promoted
from raising.frontend.lower.passes.small_arrays import taken_apart


def typed_program(
    unit: st.Unit,
    function: st.Function,
    budget: Budget,
    whole: frozenset[str] = frozenset(),
    lengths: bool = True,
) -> Function:
    """The function; parameters that only conditions ask for are data if all these conditions become selections.

    Parameters in `whole` are known to be arrays of their own, which do not overlap one another. Without `lengths`,
    nothing is assumed of how long arrays are, which no test finds out. Raises `Refused`.
    """
    unit, function, assumed = without_jumps(unit, function, lengths)
    made = _typed(unit, function, budget, whole, frozenset(), lengths)
    made = replace(made, assumptions=(*made.assumptions, *assumed))
    data = flags(made)
    if not data:
        return made
    try:
        other = _typed(unit, function, budget, whole, data, lengths)
    except Refused:
        return made
    return made if other.branches else replace(other, assumptions=(*other.assumptions, *assumed))


def _typed(
    unit: st.Unit, function: st.Function, budget: Budget, whole: frozenset[str], data: frozenset[str], lengths: bool
) -> Function:
    made = only_in_loads(lower(unit, function, budget, whole, data))
    return _in_range(only_in_loads(promoted(selected(taken_apart(delinearised(made)), lengths))))


_BITS = 63


def _in_range(function: Function) -> Function:
    """The function, if its bounds and positions are spelled by numbers that an index holds."""
    for node in walk(function.body):
        for form in forms_of(node):
            if any(abs(c) >> _BITS for _, c in form.terms):
                raise Refused(node.loc, f"a number in a bound or position needs more than {_BITS} bits")
    return function


def branches_that_stay(made: Function) -> Iterator[SourceRemark]:
    """A remark for each branch on data of a function that cannot be a selection."""
    for loc, why in made.branches:
        told = f"in '{made.name}': a branch on data stays a branch, and its loops are not raised: {why}"
        yield SourceRemark(loc, told)
