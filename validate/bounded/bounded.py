"""The bounded proof: equal for every input at given sizes, by normal forms first, and a solver for the rest.

Both programs are run symbolically; where the polynomials of an output element are the same, it is equal for every
input. Otherwise an input that tells the programs apart is looked for, and then a solver is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raising.affine.ir.integer_types import is_integer
from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.ir.program import Program
from raising.affine.ir.sparse_polynomials import Poly
from raising.affine.ir.value_names import computes_of
from raising.grammar.evaluate.number import Unsupported
from raising.support.record import dataclass
from raising.validate.arithmetic.integers import Undefined
from raising.validate.base.assumption import NONZERO, NOT_NEGATIVE, REAL, Assumption
from raising.validate.base.verdict import Bounded, Refuted, Unknown
from raising.validate.bounded import z3_solver as solver
from raising.validate.bounded.ring_polynomial import TooMuchWork
from raising.validate.bounded.symbolic import Symbolic
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.replay import TRIES, replay, replay_values
from raising.validate.run.run import Element, TooLarge, output_elements, run_both, sizes_text, uses_floats
from raising.validate.run.strict_operations import same_operations

SOLVER_STEPS = 1_000_000
"""Given to the solver for one size vector, unless the caller says otherwise: a second of bits, a minute of reals."""

_FEW = 3
"""Inputs on which both are run before anything else."""


@dataclass(frozen=True)
class _Open:
    """An output element whose two normal forms are not the same, and their difference."""

    at: Element
    difference: Poly


def check_bounded(
    pair: Pair, sizes: Sequence[Mapping[str, int]], assumed: Assumptions, steps: int = SOLVER_STEPS
) -> Bounded | Refuted | Unknown:
    """Compare two programs for every input at each of these size vectors."""
    used: dict[Assumption, None] = {}
    for vector in sizes:
        found = _at(pair, vector, assumed, solver.Budget(steps))
        if not isinstance(found, Bounded):
            return found
        used.update(dict.fromkeys(found.assumptions))
    vectors = tuple(tuple(sorted(v.items())) for v in sizes)
    return Bounded(vectors, tuple(used), _integers(pair))


def _at(
    pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, budget: solver.Budget
) -> Bounded | Refuted | Unknown:
    found = _refuted(pair, sizes, assumed, _FEW)  # cheaper than the normal forms of programs that differ
    if found is not None:
        return found
    symbolic = Symbolic()
    try:
        still = list(_open(symbolic, pair, sizes, assumed))
    except (TooLarge, TooMuchWork, Undefined, Unsupported) as error:
        return _refuted(pair, sizes, assumed) or Unknown(f"at {sizes_text(sizes)}: {error}")
    except OutOfBounds as error:
        return _refuted(pair, sizes, assumed) or Unknown(str(error))
    if still:
        return _refuted(pair, sizes, assumed) or _solved(symbolic, still, pair, sizes, assumed, budget)
    return _equal(symbolic, pair, sizes, assumed)


def _refuted(pair: Pair, sizes: Mapping[str, int], assumed: Assumptions, tries: int = TRIES) -> Refuted | None:
    try:
        example = replay(pair, sizes, assumed, tries=tries)
    except (TooLarge, Unsupported):
        return None
    return None if example is None else Refuted(example.text(), example)


def _open(symbolic: Symbolic, pair: Pair, sizes: Mapping[str, int], assumed: Assumptions) -> Iterator[_Open]:
    """The output elements whose normal forms differ."""
    memories = run_both(pair, sizes, symbolic.arithmetic, symbolic.leaf, assumed)
    for e in output_elements(pair, memories):
        if e.source is e.target or e.source == e.target:
            continue
        difference = symbolic.difference(e.source, e.target, e.element)
        if difference:
            yield _Open(e, difference)


def _solved(
    symbolic: Symbolic,
    still: list[_Open],
    pair: Pair,
    sizes: Mapping[str, int],
    assumed: Assumptions,
    budget: solver.Budget,
) -> Bounded | Refuted | Unknown:
    """The solver's answer for the elements that are left."""
    known: set[frozenset[Any]] = set()
    for one in still:
        element = one.at.element
        try:
            difference = one.difference if is_integer(element) else symbolic.ring.cleared(one.difference)
        except TooMuchWork as error:
            return Unknown(f"at {sizes_text(sizes)}: {error}")
        key = frozenset(difference.items())
        if not difference or key in known:
            continue
        found = solver.zero(symbolic.ring, difference, element, budget)
        if found is None or isinstance(found, dict):
            example = replay_values(pair, sizes, assumed, found) if found else None
            if example is not None:
                return Refuted(example.text(), example)
            where = f"{one.at.place} at {sizes_text(sizes)}"
            why = "the solver's model does not replay" if found else "the solver does not decide it within its steps"
            return Unknown(f"{where}: {why}")
        known.add(key)
    return _equal(symbolic, pair, sizes, assumed)


def _equal(symbolic: Symbolic, pair: Pair, sizes: Mapping[str, int], assumed: Assumptions) -> Bounded:
    """The answer that the programs are equal at these sizes."""
    return Bounded((tuple(sorted(sizes.items())),), _assumptions(symbolic, pair, sizes, assumed), _integers(pair))


def _assumptions(
    symbolic: Symbolic, pair: Pair, sizes: Mapping[str, int], assumed: Assumptions
) -> tuple[Assumption, ...]:
    found = list(assumed.values())
    found += [NONZERO] if symbolic.reals.divides else []
    found += [NOT_NEGATIVE] if symbolic.reals.roots else []
    reals = any(map(uses_floats, (pair.source, pair.target)))
    found += [REAL] if reals and not same_operations(pair, assumed, sizes) else []
    return tuple(found)


def _integers(pair: Pair) -> str:
    """How integers were compared; empty if there are none."""
    return "exact mod 2^w" if any(map(_has_integers, (pair.source, pair.target))) else ""


def _has_integers(program: Program) -> bool:
    computed = (n.element for n in computes_of(program).values())
    stored = (a.element for a in program.arrays.values())
    return any(is_integer(e) and e != "i1" for e in (*computed, *stored))
