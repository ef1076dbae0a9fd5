"""The proof as it is answered: within counted steps, inside of all arrays, and confirmed by runs at small sizes.

If a proof and a run disagree, that is an internal error and no proof; a difference counts only where a run shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from raising.affine.polyhedral import counted_steps as steps
from raising.affine.polyhedral.scop import holds
from raising.grammar.evaluate.number import Unsupported
from raising.support.errors import OutOfWork
from raising.validate.base.assumption import INSIDE, REAL
from raising.validate.base.verdict import INTERNAL, Counterexample, Proved, Refuted, SizeVector, Unknown, Verdict
from raising.validate.normal_form.cases import cases
from raising.validate.normal_form.is_zero import smallest_sizes
from raising.validate.proof.by_cases import prove_by_cases
from raising.validate.proof.in_bounds import Bounds, at_least, check_inbounds
from raising.validate.proof.proof import Difference, Equal
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.of_proof import effect_of_rounding, integers
from raising.validate.run.replay import replay
from raising.validate.run.run import TooLarge

_STEPS, _STEPS_EACH = 30_000_000, 1_000_000
"""Steps of integer sets (`raising.affine.polyhedral.counted_steps`) for a proof, and more for each statement."""


def proved(pair: Pair, assumed: Assumptions, sizes: SizeVector | None, files: tuple[str, str] = ("-", "-")) -> Verdict:
    """The answer of the proof, for all sizes or (`sizes`, what an answer calls them) those that the pair has."""
    statements = sum(1 for p in (pair.source, pair.target) for _ in p.stores())
    most = _STEPS + statements * _STEPS_EACH
    try:
        with steps.fresh(most):
            bounds = check_inbounds(pair, assumed)
            return _outside(pair, bounds, files) or _inside(pair, assumed, bounds, sizes)
    except OutOfWork:
        return Unknown(f"the proof takes more than {most // 1_000_000} million steps")


def _outside(pair: Pair, bounds: Bounds, files: tuple[str, str]) -> Verdict | None:
    """The answer where a program leaves an array at the sizes of the files."""
    if bounds.source is not None:
        return Unknown(bounds.source.text("source", files[0]) + at_least(bounds.source))
    if bounds.target is not None and holds(bounds.target.sizes, pair.sizes):
        return Refuted(bounds.target.text("target", files[1]) + at_least(bounds.target))
    return None


def _inside(pair: Pair, assumed: Assumptions, bounds: Bounds, sizes: SizeVector | None) -> Verdict:
    """The answer at the sizes that keep every access inside of its array."""
    found = prove_by_cases(pair, assumed, bounds.context)
    if isinstance(found, Difference):
        shown = _shown(pair, assumed, [found.sizes])
        if shown:
            return Refuted(shown.text(), shown)
        found = prove_by_cases(pair, assumed, bounds.context, f"{found.output} may differ; no input shows it")
    if not isinstance(found, Equal):
        return found if isinstance(found, Unknown) else Unknown(f"{found.output} may differ")
    seen = cases(pair, found.sizes)
    runs = [(case.pair, _small(case.sizes)) for case in seen if not case.same]
    shown = next((s for p, vectors in runs if (s := _shown(p, assumed, vectors)) is not None), None)
    if shown is not None and shown.undefined:
        return Refuted(shown.text(), shown)
    if shown is not None:
        return Unknown(f"{INTERNAL}a proof disagrees with a run; please report this: {shown.text()}")
    floats = effect_of_rounding(assumed, seen, [(p, vectors[-1]) for p, vectors in runs if vectors])
    if isinstance(floats, Refuted):
        return Unknown(f"{INTERNAL}a proof disagrees with rounded runs; please report this: {floats.counterexample}")
    finite = (REAL,) if floats.startswith("reassociated") else ()
    inside = (INSIDE,) if bounds.narrowed and not bounds.same_outside else ()
    return Proved((*found.assumptions, *inside, *finite), sizes, integers(pair), floats)


def _small(known: Any) -> list[Mapping[str, int]]:
    """Small sizes among those that are proved: the least, and some at which every loop has something to do."""
    found = (smallest_sizes(known, least) for least in (-1, 1, 2, 3))
    return list({tuple(v.items()): v for v in found if v is not None}.values())


def _shown(pair: Pair, assumed: Assumptions, vectors: list[Mapping[str, int]]) -> Counterexample | None:
    """The first input at these sizes on which a run shows a difference; None also if they are too large to run."""
    for vector in vectors:
        with suppress(TooLarge, Unsupported):
            found = replay(pair, vector, assumed)
            if found is not None:
                return found
    return None
