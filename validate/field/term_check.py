"""The check of the search's result: tensor terms against the loops, at fresh points of the field and other sizes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import numpy as np

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.ir.program import Compute, Program
from raising.grammar.evaluate.evaluator import DoesNotFit, Evaluator
from raising.grammar.evaluate.number import apart, undefined
from raising.grammar.evaluate.position_values import Positions, unseen
from raising.grammar.evaluate.sample import Sample, comparisons, order_dependent, runs
from raising.grammar.evaluate.size_vectors import Unsizable, size_vectors
from raising.grammar.field import field
from raising.grammar.terms.term import Term, nodes
from raising.validate.base.verdict import FieldEvidence, Refuted, Unknown
from raising.validate.field import degree
from raising.validate.reading.pair import Assumptions
from raising.validate.run.run import execute

_MORE = 24  # times as many runs, where a comparison of data came out one way only


def check_field(
    program: Program, terms: Mapping[str, Term], values: Mapping[str, Lin], seed: int, count: int = 3
) -> FieldEvidence | Refuted | Unknown:
    """Compare the final contents of arrays with terms, at `count` size vectors not used by the search."""
    try:
        sizes = size_vectors(program, values, count, skip=2)
    except (Unsizable, OutOfBounds) as error:
        return Unknown(str(error))
    rng = np.random.default_rng(seed)
    points, written, bound = 0, 0, max((_degree(program, terms, v) for v in sizes), default=0) / field.P
    asked, outcomes = _of_data(program), set[tuple[str, bool]]()
    more = (
        one for _ in range(_MORE) if _one_way(asked, outcomes) for one in runs(program, sizes[:1], rng, special=True)
    )
    for sample in chain(runs(program, sizes, rng), more):
        outcomes |= sample.outcomes
        difference, compared = differs(program, terms, sample)
        if difference:
            return Refuted(f"at sizes {_text(sample.sizes)}: {difference}")
        points += compared
        written += sum(int(one.res.size) for one in sample.outputs.values())
    if written and not points:
        return Unknown("no element is a number at the points that were tried")
    vectors = tuple(tuple(sorted(v.items())) for v in sizes)
    note = "comparisons sampled, which the bound leaves out" if order_dependent(program) else ""
    untold = unseen(program, values, sizes) or _one_way(asked, outcomes)
    return FieldEvidence(points, vectors, bound, note, unseen=untold)


def _of_data(program: Program) -> list[Compute]:
    """The comparisons of a program that data decide."""
    pure = Positions(program).pure
    return [node for node in comparisons(program) if node.dst not in pure]


def _one_way(asked: list[Compute], outcomes: set[tuple[str, bool]]) -> str:
    """A message about a comparison that had the same result in all runs; empty if there is none."""
    for node in asked:
        seen = {outcome for name, outcome in outcomes if name == node.dst}
        if len(seen) == 1:
            return f"the comparison at {node.loc} came out {str(*seen).lower()} in all runs"
    return ""


def _degree(program: Program, terms: Mapping[str, Term], sizes: Mapping[str, int]) -> int:
    """The largest degree of a polynomial that is zero where a term and the loops agree."""
    loops = execute(program, sizes, degree.DEGREES, lambda _: degree.LEAF, Assumptions(), "")
    found = {name: degree.of_term(term, sizes) for name, term in terms.items()}
    return max((degree.apart(d, found[n]) for n in terms for d in set(loops[n].data)), default=0)


def differs(program: Program, terms: Mapping[str, Term], sample: Sample, strict: bool = False) -> tuple[str, int]:
    """Differences between terms and loops at a sample (empty if there are none), and the number of compared elements.

    In a program that compares numbers, an element that is no number on both sides is none of them.

    If it is `strict`, nothing may leave its tensor or divide by zero, also where its value is not used.
    """
    evaluate = Evaluator(sample.inputs, sample.sizes)
    points, ordered = 0, order_dependent(program)
    for name, term in terms.items():
        wanted = sample.outputs.get(name, sample.inputs[name])
        known = sample.masks[name] if name in sample.masks and program.arrays[name].kind != "argument" else None
        try:
            got = evaluate(term)
        except DoesNotFit:
            return f"a window of the program for {name} leaves its tensor, or it divides by zero", points
        other = (got.res != wanted.res) | undefined(got, wanted)
        if ordered and not program.arrays[name].element.startswith(
            "i"
        ):  # which of them is the greater decides nothing between numbers that are none
            lost = np.isnan(got.flt) & np.isnan(wanted.flt)
            other, points = other & ~lost, points - int(lost.sum())
        wrong = other if known is None else other & known
        if bool(np.any(wrong)):
            return f"element {tuple(int(i) for i in np.argwhere(wrong)[0])} of {name} differs", points
        if not program.arrays[name].element.startswith("i") and apart(got, wanted, known):
            return f"{name} differs as floats", points
        points += int(wanted.res.size)
    if strict and any(node.digest not in evaluate.known for node in nodes(tuple(terms.values()))):
        return "a window of the program leaves its tensor, or it divides by zero", points
    return "", points


def _text(sizes: dict[str, int]) -> str:
    return " ".join(f"{n}={v}" for n, v in sorted(sizes.items()))
