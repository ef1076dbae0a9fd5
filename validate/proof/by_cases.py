"""Proofs by cases: where only one of two programs branches on sizes, both are compared on each side of its branches.

A form that stands at some sizes only, with its loops as the other branch, is equal to the loops in the first case by a
proof like any other, and in the second one because both are the same loops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from raising.affine.ir.program import Program
from raising.affine.polyhedral.scop import holds
from raising.affine.transforms.untile import untiled
from raising.validate.base.verdict import Unknown
from raising.validate.normal_form.cases import Case, cases
from raising.validate.normal_form.isl_spaces import union
from raising.validate.proof.composition.composed import prove_by_parts
from raising.validate.proof.proof import Difference, Equal, condition, condition_text, prove
from raising.validate.reading.pair import Assumptions, Pair


def prove_by_cases(pair: Pair, assumed: Assumptions, context: Any, seeming: str = "") -> Equal | Difference | Unknown:
    """Are the outputs equal for all sizes in `context` (an isl parameter set)? Case by case where one side branches.

    For `seeming` see `raising.validate.proof.proof.prove`.
    """
    found = cases(pair, context)
    proved: list[Equal] = []
    for case in found:
        result = _proved(case, assumed, seeming)
        if isinstance(result, Difference) or len(found) == 1:
            return result
        if isinstance(result, Equal):
            proved.append(result)
        elif holds(case.sizes, pair.sizes):
            return Unknown(f"where {condition_text(case.sizes, context)}: {result.reason}")
    return _together(proved, context, pair.sizes)


def _proved(case: Case, assumed: Assumptions, seeming: str) -> Equal | Difference | Unknown:
    pair = _without_tiles(case.pair, case.sizes)
    if seeming:
        return prove(pair, assumed, case.sizes, seeming)
    return prove_by_parts(pair, assumed, case.sizes)


def _without_tiles(pair: Pair, sizes: Any) -> Pair:
    """The same pair without loops over tiles at these sizes; a program keeps them if its loops make memories anew."""

    def plain(program: Program) -> Program:
        return program if any(map(pair.scopes.get, program.arrays)) else untiled(program, sizes)

    return replace(pair, source=plain(pair.source), target=plain(pair.target))


def _together(proved: Sequence[Equal], context: Any, numbers: Mapping[str, int]) -> Equal | Unknown:
    """Equal wherever one of the cases is."""
    if not proved:
        return Unknown("no case is proved")
    sizes = union(one.sizes for one in proved)
    known = dict.fromkeys(a for one in proved for a in one.assumptions if a.kind != "numbers")
    if context.is_subset(sizes):
        return Equal(tuple(known), context)
    return Equal((*known, condition(sizes, context, numbers)), sizes)
