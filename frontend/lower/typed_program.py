"""One function of the core as the typed program that is written as MLIR: lowered, and every pass done to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from raising.frontend.core import statement_nodes as st
from raising.frontend.lower.from_core.function_to_typed import divides, lower
from raising.frontend.lower.from_core.parameters.needed_parameters import flags
from raising.frontend.lower.from_core.parameters.record_parameters import arguments
from raising.frontend.lower.from_core.unrolled_loops import (
    MAX_COPIES,
    MAX_UNCERTAIN,
    loop_to_unroll,
    loops_of_alternatives,
)
from raising.frontend.lower.ir.module import AtData, NotAffine, Refused, SourceRemark
from raising.frontend.lower.ir.nodes import Choose, For, Function, While, forms_of, walk
from raising.frontend.lower.jumps.without_jumps import without_jumps
from raising.frontend.lower.known.data_positions import (
    at_known_positions,
    first_computed_position,
    only_in_loads,
    uncertain_places,
)
from raising.frontend.lower.known.state import Budget, Choices
from raising.frontend.lower.passes.delinearise import delinearised
from raising.frontend.lower.passes.exact_quotients import with_exact_quotients, with_least_bounds
from raising.frontend.lower.passes.first_elements import with_first_elements
from raising.frontend.lower.passes.flat_loops import with_rows
from raising.frontend.lower.passes.if_conversion import divided_by_choices, selected
from raising.frontend.lower.passes.known_choices import with_known_choices
from raising.frontend.lower.passes.mem2reg import promoted
from raising.frontend.lower.passes.small_arrays import taken_apart
from raising.frontend.lower.passes.stored_positions import with_stored_positions
from raising.frontend.lower.passes.unsigned_sizes import with_sizes_of_memory
from raising.frontend.lower.passes.unswitching import unswitched
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Way:
    """A way to lower a function. All ways are tried in turn, since what one refuses another one may read.

    Quotients of sizes are data, or (`named`) sizes of their own, which may be taken to be `exact`. With `split`, loops
    are split whose counters are divided; with `stored`, positions that are computed of data are stored first. With
    `unrolled`, loops of a few known iterations are unrolled around what is refused otherwise.
    """

    named: bool = False
    exact: bool = False
    split: bool = False
    stored: bool = False
    unrolled: bool = False

    def choices(self, demoted: frozenset[str], unrolled: frozenset[Loc]) -> Choices:
        """The choices of lowering, with these variables as data, and these loops unrolled."""
        loops = unrolled if self.unrolled else None
        return Choices(demoted, naming=self.named, splitting=self.split, computed=self.stored, unrolled=loops)


WAYS = (
    Way(),
    Way(named=True),
    Way(named=True, exact=True),
    Way(named=True, split=True),
    Way(named=True, split=True, exact=True),
)
WAYS_TO_UNROLL = (Way(unrolled=True), Way(named=True, split=True, unrolled=True))
WAYS_TO_STORE = (Way(named=True, split=True, stored=True), Way(stored=True))


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
    made, way = _first(unit, function, budget, whole, lengths)
    made = replace(made, assumptions=(*made.assumptions, *assumed))
    data = flags(made)
    if not data:
        return made
    try:
        other = _typed(unit, function, budget, whole, data, lengths, way)
    except Refused:
        return made
    if other.branches or divided_by_choices(other) > divided_by_choices(made):
        return made  # where sizes decide, nothing is divided on the other side
    return replace(other, assumptions=(*other.assumptions, *assumed))


def _first(
    unit: st.Unit, function: st.Function, budget: Budget, whole: frozenset[str], lengths: bool
) -> tuple[Function, Way]:
    """The function as the first of the `WAYS` reads it that does.

    Where all of them refuse it, or something is uncertain about positions that are data, or a branch on data stays,
    loops are unrolled. Where a subscript is refused even so, or a position is computed of data, positions are stored.
    """
    refused: list[Refused] = []
    last: list[Refused] = []
    uncertain: list[tuple[Function, Way]] = []
    divisions = divides(unit, function)
    for ways in (WAYS, WAYS_TO_UNROLL, WAYS_TO_STORE):
        for way in (way for way in ways if divisions or not way.named):  # there are no quotients without divisions
            try:
                found = _typed(unit, function, budget, whole, frozenset(), lengths, way)
            except Refused as reason:
                refused.append(reason)
                continue
            if first_computed_position(found) is None and (
                way.stored or not (any(uncertain_places(found)) or loops_of_alternatives(found.body))
            ):
                return found, way
            uncertain.append((found, way))
        last = last or refused[-1:]
        if ways is WAYS_TO_UNROLL and not _stores_help(uncertain, refused):
            break
    if uncertain:
        return uncertain[0]
    raise last[0]


def _stores_help(uncertain: list[tuple[Function, Way]], refused: list[Refused]) -> bool:
    """Whether a function may be read better if positions are stored."""
    if uncertain:
        return all(first_computed_position(found) is not None for found, _ in uncertain)
    return any(isinstance(reason, AtData) for reason in refused)


def _typed(
    unit: st.Unit,
    function: st.Function,
    budget: Budget,
    whole: frozenset[str],
    data: frozenset[str],
    lengths: bool,
    way: Way,
) -> Function:
    """The function, lowered in one way, after the passes in their order."""
    unrolled: frozenset[Loc] = frozenset()
    while True:
        lowered = lower(unit, function, budget, way.choices(data, unrolled), whole)
        try:
            made = _passed(unit, function, lowered, (whole, lengths), way)
        except Refused as reason:
            more = _to_unroll(lowered, [reason.loc], unrolled) if way.unrolled else frozenset()
            if not more:
                raise
        else:
            more = loops_of_alternatives(made.body) - unrolled if way.unrolled else frozenset()
            if way.unrolled and not more:  # a branch on the counters of such loops may have been all that was uncertain
                more = _to_unroll(lowered, uncertain_places(made), unrolled, MAX_UNCERTAIN)
            if not more:
                return made
        unrolled |= more


def _to_unroll(lowered: Function, places: Iterable[Loc], but: frozenset[Loc], most: int = MAX_COPIES) -> frozenset[Loc]:
    loop = loop_to_unroll(lowered.body, places, but, most)
    return frozenset() if loop is None else frozenset({loop})


def _passed(
    unit: st.Unit, function: st.Function, lowered: Function, given: tuple[frozenset[str], bool], way: Way
) -> Function:
    """A lowered function after the passes in their order; `given` says what is known of memory, as above."""
    whole, lengths = given
    lowered = only_in_loads(lowered)
    if way.exact:
        lowered = with_exact_quotients(lowered)
    shaped = with_least_bounds(_at_stored_positions(lowered, lengths) if way.stored else _shaped(lowered))
    made = unswitched(with_known_choices(promoted(selected(taken_apart(shaped), lengths))))
    made = _in_range(only_in_loads(promoted(made)))
    made = with_sizes_of_memory(made)
    if unit.language == "Python":
        return made
    made = with_first_elements(made, whole)
    return replace(made, arguments=arguments(unit, function, made.parameters))


def _shaped(lowered: Function) -> Function:
    """The function with the shapes of its arrays; where they are not found, with loops over all elements in two."""
    try:
        return delinearised(lowered)
    except Refused:
        split = with_rows(lowered)
        if split is lowered:
            raise
        return delinearised(split)


def _at_stored_positions(lowered: Function, lengths: bool) -> Function:
    """The function delinearised, with positions stored that are computed, or that no rows explain."""
    plain = at_known_positions(promoted(selected(taken_apart(lowered), lengths)))
    whole: frozenset[str] = frozenset()
    while True:
        try:
            return delinearised(with_stored_positions(plain, whole, lengths))
        except NotAffine as reason:
            if reason.array in whole:
                raise
            whole |= {reason.array}


_BITS = 63


def _in_range(function: Function) -> Function:
    """The function, if its bounds and positions are spelled by numbers that an index holds."""
    for node in walk(function.body):
        for form in forms_of(node):
            if any(abs(c) >> _BITS for _, c in form.terms):
                raise Refused(node.loc, f"a number in a bound or position needs more than {_BITS} bits")
    return function


def branches_that_stay(made: Function) -> Iterator[SourceRemark]:
    """A remark for each branch on data in the loops of a function that cannot be a selection."""
    loops = (node for node in walk(made.body) if isinstance(node, For | While))
    inside = {node.loc for loop in loops for node in walk((loop,)) if isinstance(node, Choose)}
    for loc, why in (branch for branch in made.branches if branch[0] in inside):
        told = f"in '{made.name}': a branch on data stays a branch, and the loops around it are not raised: {why}"
        yield SourceRemark(loc, told)
