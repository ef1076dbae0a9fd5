"""The sizes at which raised terms are valid: they have the values of the loops and touch no memory that these do not.

The search only looks at sizes at which all loops run. Here the terms are also evaluated in every region of the sizes in
which the loops behave differently (`raising.affine.polyhedral.chambers`). In regions where they are wrong, the loops
run in their place, or nothing at all if the loops do nothing there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import islpy as isl

from raising.affine.ir.affine_expr import Cond, Lin
from raising.affine.ir.program import Program
from raising.affine.polyhedral.chambers import outside
from raising.affine.polyhedral.scop import accesses, conjunctions, context_set, holds, params, sizes_where
from raising.grammar.evaluate.extents import unbounded
from raising.grammar.evaluate.regions import open_sizes, regions, regions_text
from raising.grammar.terms.term import Either, Input, Term, nodes, rewritten_terms
from raising.segment.gathered_reads import unread
from raising.segment.validity.boxes import leaving
from raising.segment.validity.region_trials import MOST_ALTERNATIVES, Trials
from raising.support.record import dataclass
from raising.validate.base.verdict import FieldEvidence

_SOMEWHERE = "a tensor program was found that stands at some sizes only"
_PARAM = isl.dim_type.param


Alternatives = tuple[tuple[Cond, ...], ...]
"""Conjunctions of conditions on sizes, of which one holds."""


class NowhereKnown(Exception):
    """There is no simple condition under which the terms are valid; the message says why."""


@dataclass(frozen=True)
class Own:
    """The extents of arrays as the file has them; `told` names those that are known where the program runs."""

    shapes: Mapping[str, tuple[Lin, ...]]
    told: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Standing:
    """The sizes at which terms are valid: those where one of the alternatives, each a conjunction, holds.

    If `idle`, the loops do nothing at all other sizes. Beside that all conditions in `long_enough` have to hold: arrays
    have the elements that the terms take. `points` counts the elements that were compared at `sizes`, one
    vector for each of the `seen` regions; `regions` counts all regions, and is None if they are not all known.
    """

    alternatives: Alternatives
    idle: bool
    points: int
    sizes: tuple[dict[str, int], ...]
    seen: int
    regions: int | None
    long_enough: tuple[Cond, ...] = ()

    @property
    def everywhere(self) -> bool:
        """Whether the terms are valid at all sizes."""
        return () in self.alternatives


class Form:
    """Raised terms of a program; `own` has the declared extents of arrays, where the program has those of loops."""

    def __init__(self, program: Program, terms: Mapping[str, Term], values: Mapping[str, Lin], own: Own) -> None:
        self.program, self.terms, self.values, self.own = program, terms, values, own.shapes
        self.told = own.told
        self.long_enough: dict[Cond, None] = {}
        self.open = open_sizes(program, values)
        self.accesses, self.context = accesses(program), context_set(program)

    def standing(self, invalid: Iterable[Any], seed: int, strict: bool) -> Standing:
        """The sizes at which the terms are valid, without those in the parameter sets `invalid`.

        With `strict`, an access outside of a tensor is wrong even where its value is not used.
        """
        testable = strict and not self._yields()
        failing = [projected(s, self.program) for s in invalid] + self._out_of_reach(testable)
        if not self.open:
            return self._at_numbers([s for s in failing if not s.is_empty()])
        tried = regions(self.program, self.values)
        trials = Trials(self.program, self.terms, seed)
        trial = trials.in_regions(tried, strict)
        failing += trial.failing
        if strict:
            failing += [*trials.divided_by_zero(tried, self.open), leaving(self.program, self.terms, self.accesses)]
        if testable and any(isinstance(t, Either) for t in self.terms.values()):
            failing.append(self._idle)  # what chooses by sizes need not even look at its memory
        wrong = self.context.subtract(self.context)
        for sizes in failing:
            wrong = wrong.union(self._without_extents(sizes.intersect(self.context)))
        alternatives, idle = self._simple(self.context.subtract(wrong))
        count = len(tried.found) if tried.complete else None
        return Standing(alternatives, idle, trial.points, trial.sizes, len(trial.sizes), count, tuple(self.long_enough))

    def _at_values(self, sizes: Any) -> Any:
        """A parameter set with the sizes that the file fixes set to their numbers, and then left open."""
        for k in range(sizes.dim(_PARAM)):
            value = self.values.get(sizes.get_dim_name(_PARAM, k))
            if value is not None and value.is_const:
                sizes = sizes.fix_val(_PARAM, k, isl.Val(value.const)).eliminate(_PARAM, k, 1)
        return sizes

    def under(self, stands: Standing, branches: bool) -> dict[str, Term]:
        """The terms for the sizes at which they are valid, if the target can branch to the loops at others.

        If it cannot, the terms select the old contents at other sizes; `NowhereKnown` if loops would have to run there.
        """
        if stands.everywhere:
            return dict(self.terms)
        if branches and not self._yields():
            return self._simplified(stands)
        if branches or not stands.idle:
            raise NowhereKnown(_SOMEWHERE)
        return {name: _chosen(stands.alternatives, term, name) for name, term in self.terms.items()}

    def _yields(self) -> bool:
        """Whether some term is a value that a loop yields, and no memory."""
        return any(self.program.arrays[name].kind == "scalar" for name in self.terms)

    def _simplified(self, stands: Standing) -> dict[str, Term]:
        """The terms without choices by sizes that are decided wherever the terms are valid."""
        known = self.context.intersect(sizes_where(self.program, *stands.alternatives))
        terms = rewritten_terms(tuple(self.terms.values()), lambda _, term: _settled(term, known, self.program))
        return dict(zip(self.terms, terms, strict=True))

    def _simple(self, stands: Any) -> tuple[Alternatives, bool]:
        """Few conditions under which the terms are valid, and whether the loops do nothing at all other sizes."""
        running = self.context.subtract(self._idle)
        idle = bool(running.is_subset(stands))
        conds = _conditions(stands, self.context)
        if idle and conds != ((),):
            conds = min(conds, _conditions(running, self.context), key=_length)
        elif len(conds) > 1:
            conds = self._one_condition(conds, stands) or conds
        if not conds or len(conds) > MOST_ALTERNATIVES or stands.is_empty():
            raise NowhereKnown(_SOMEWHERE)
        return conds, idle

    def _one_condition(self, conds: Alternatives, stands: Any) -> Alternatives | None:
        """A single alternative that holds wherever every loop runs; None if there is none.

        Where some loop does not run there is little to do, and the loops may do it.
        """
        busy = self._busy
        if busy.is_empty():  # some loop is in a branch, another one where it is not taken
            return None
        for one in conds:
            if busy.is_subset(sizes_where(self.program, one)):
                return (one,)
        own = _conditions(busy.intersect(stands), self.context) if len(conds) > MOST_ALTERNATIVES else ()
        return own if len(own) == 1 else None

    def _at_numbers(self, failing: list[Any]) -> Standing:
        """The answer where the file fixes all sizes: the terms have to be valid at these."""
        known = {n: v.const for n, v in self.values.items() if v.is_const}
        if any(holds(sizes, known) for sizes in failing):
            raise NowhereKnown("a tensor program was found that does not stand at the sizes of the file")
        return Standing(((),), True, 0, (), 0, None)

    @cached_property
    def _idle(self) -> Any:
        """The sizes at which no loop reads or writes."""
        idle = self.context
        for access in self.accesses:
            idle = idle.subtract(access.domain.params())
        return idle

    @property
    def _busy(self) -> Any:
        """The sizes at which every loop runs."""
        busy = self.context
        for access in self.accesses:
            busy = busy.intersect(access.domain.params())
        return busy

    # ---- by what is touched ----------------------------------------------------------------------

    def _out_of_reach(self, testable: bool) -> list[Any]:
        """The sizes at which terms or loops access elements outside of an array, or terms those that no loop reads.

        Where extents are `testable` and told, that the array has the elements which terms take becomes a condition.
        """
        tied = self._tied()
        outside_ = (outside(self.program, access, tied.get(access.node.array, ())) for access in self.accesses)
        at_values = [self._at_values(sizes) for sizes in (*outside_, *unread(self.program, self.accesses))]
        return [self._untouched(array, testable) for array in tied] + at_values

    def _tied(self) -> dict[str, list[int]]:
        """The arrays of which the terms take the first part, which ends at a loop's bound, and in which dimensions.

        That accesses stay inside of all other arrays is an assumption, which is printed.
        """
        used = {n.name for n in nodes(tuple(self.terms.values())) if isinstance(n, Input)} | set(self.terms)
        names = sorted(used & self.program.arrays.keys() & self.own.keys())
        pairs = {n: enumerate(zip(self._resolved(n), self.own[n], strict=True)) for n in names}
        tied = {n: [k for k, (resolved, own) in each if resolved != own] for n, each in pairs.items()}
        return {n: dims for n, dims in tied.items() if dims}

    def _resolved(self, array: str) -> tuple[Lin, ...]:
        """An array's extents in the program, with the file's number for each size that it fixes."""
        return tuple(s.substitute(self.values.get) for s in self.program.arrays[array].shape)

    def _untouched(self, array: str, testable: bool) -> Any:
        """The sizes at which no loop accesses the last element of what the terms take, unless that is tested."""
        shape, prefix = self.program.arrays[array].shape, params(self.program)
        names = [f"e{k}" for k in range(len(shape))]
        result = sizes_where(self.program)
        for k, (resolved, own) in enumerate(zip(self._resolved(array), self.own[array], strict=True)):
            extent = shape[k]
            if resolved == own:
                continue
            last = isl.Set(f"{prefix}{{ {array}[{', '.join(names)}] : {names[k]} = {(extent - 1).isl()} }}")
            missing = sizes_where(self.program, [Cond(s - 1) for s in shape])
            for access in self.accesses:
                if access.node.array == array:
                    missing = missing.subtract(access.relation.range().intersect(last).params())
            if testable and own.names() <= self.told and not missing.intersect(self.context).is_subset(self._idle):
                self.long_enough[Cond(own - resolved)] = None
            else:
                result = result.union(missing)
        return result

    def _without_extents(self, region: Any) -> Any:
        """A parameter set without constraints on extents that occur in types of arrays only."""
        for name in unbounded(self.program):
            k = region.find_dim_by_name(_PARAM, name)
            if k >= 0:
                region = region.eliminate(_PARAM, k, 1)
        return region


def _settled(term: Term, known: Any, program: Program) -> Term:
    """The side of a choice by sizes that is taken at all sizes of a set; the term itself if both occur."""
    if not isinstance(term, Either) or any(not c.form.names() <= set(program.sizes) for c in term.conds):
        return term
    taken = sizes_where(program, term.conds)
    if known.is_subset(taken):
        return term.yes
    return term.no if known.is_disjoint(taken) else term


def _conditions(sizes: Any, context: Any) -> Alternatives:
    """A parameter set as alternatives of conjunctions, without what is known."""
    return conjunctions(sizes.coalesce().gist(context).coalesce(), ())


def _length(conds: Alternatives) -> int:
    return sum(map(len, conds))


def _chosen(alternatives: Alternatives, term: Term, name: str) -> Term:
    """A term where one of some conditions holds, and elsewhere what its array held before."""
    result: Term = Input(term.type, name)
    for conds in alternatives:
        result = Either(term.type, conds, term, result)
    return result


def with_regions(found: FieldEvidence, stands: Standing) -> FieldEvidence:
    """The evidence of the search's sizes, with that of the regions in which loops behave differently."""
    if not stands.sizes:
        return found
    vectors = (*found.size_vectors, *(tuple(sorted(v.items())) for v in stands.sizes))
    points = found.points + stands.points if found.points else 0
    return replace(found, points=points, size_vectors=vectors, regions=regions_text(stands.seen, stands.regions))


def projected(region: Any, program: Program) -> Any:
    """A parameter set without the variables of loops: those sizes of the program at which some iteration is in it."""
    for k in range(region.dim(_PARAM) - 1, -1, -1):
        if region.get_dim_name(_PARAM, k) not in program.sizes:
            region = region.project_out(_PARAM, k, 1)
    return region
