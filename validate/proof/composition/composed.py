"""Proofs part by part: what lies between two cuts is proved for every state at the first one.

By induction over the cuts the outputs are the same then. Each part costs what it holds, so a function of many parts
takes time that grows with their number; and a part that cannot be proved leaves the others proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from raising.affine.ir.interpreter import OutOfBounds
from raising.affine.polyhedral import counted_steps as steps
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.support.errors import OutOfWork
from raising.support.record import dataclass
from raising.validate.base.verdict import Unknown
from raising.validate.proof.composition.alignment import aligned
from raising.validate.proof.composition.cuts import Cut, cuts
from raising.validate.proof.composition.pieces import piece
from raising.validate.proof.composition.states import runs
from raising.validate.proof.proof import Difference, Equal, prove
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.run import TooLarge
from raising.validate.run.sizes_to_run import small_sizes

_WHOLE = 64  # statements of both programs up to which they are looked at as a whole first
_LARGEST = 300  # and beyond which only parts are: exact dependences take minutes
_RUNS = 2
_STEPS, _STEPS_EACH = 20_000_000, 1_000_000  # for one part, and more for each of its statements
_AROUND = (1, 2, 4)  # parts on one side that are taken in where one alone cannot be proved


def prove_by_parts(pair: Pair, assumed: Assumptions, context: Any) -> Equal | Difference | Unknown:
    """Are the outputs equal for all sizes in `context`? As a whole, or part by part where that is not known."""
    many = _statements(pair)
    found = prove(pair, assumed, context) if many <= _WHOLE else None
    if isinstance(found, Equal | Difference):
        return found
    parts = _composed(pair, assumed, context)
    if isinstance(parts, Equal):
        return parts
    if _WHOLE < many <= _LARGEST:
        found = prove(pair, assumed, context)
    if isinstance(found, Equal | Difference):
        return found
    reasons = [one.reason for one in (found, parts) if one is not None]
    none = f"{many} statements in both functions, and no state in between that is the same"
    return Unknown("; ".join(dict.fromkeys(reasons)) or none)


def _statements(pair: Pair) -> int:
    return sum(1 for program in (pair.source, pair.target) for _ in program.stores())


@dataclass(frozen=True)
class _Unproved:
    """A part that could not be proved: its lines in the source's file, and why."""

    where: tuple[int, int]
    reason: str

    def text(self) -> str:
        first, last = self.where
        lines = "what the target does alone" if not last else f"line{f's {first} to' if first < last else ''} {last}"
        return f"{lines} ({self.reason})"


def _composed(pair: Pair, assumed: Assumptions, context: Any) -> Equal | Unknown | None:
    """The proof from cut to cut; None if there are no cuts."""
    pair, found = _cuts(pair, assumed)
    if len(found) < 3:  # the start and the end
        return None
    proved: list[Equal] = []
    unproved: list[_Unproved] = []
    k, last = 0, len(found) - 1
    while k < last:
        result = _part(pair, assumed, context, (found[k], found[k + 1]), steps_for=None)
        if isinstance(result, _Unproved):
            wider = _wider(pair, assumed, context, found, k)
            if wider is None:
                unproved.append(result)
            else:
                result, k = wider[0], max(k, wider[1] - 1)
        if isinstance(result, Equal):
            proved.append(result)
        k += 1
    if unproved:
        done = f"{last - len(unproved)} of {last} parts are proved"
        return Unknown(f"{done}, not {' and '.join(u.text() for u in unproved[:3])}")
    return _all(proved, context)


def _all(proved: Sequence[Equal], context: Any) -> Equal:
    """Equal where all parts are."""
    texts = dict.fromkeys(text for one in proved for text in one.assumptions)
    sizes = context
    for one in proved:
        sizes = sizes if one.sizes is context else sizes.intersect(one.sizes)
    return Equal(tuple(texts), sizes)


def _cuts(pair: Pair, assumed: Assumptions) -> tuple[Pair, tuple[Cut, ...]]:
    """The pair with its target in the order of the source, and where both may be cut."""
    try:
        vectors = small_sizes(pair, _RUNS)
        pair = aligned(pair, [runs(pair, vector, assumed) for vector in vectors])
        return pair, cuts(pair, [runs(pair, vector, assumed) for vector in vectors])
    except (Unsizable, Unsupported, TooLarge, OutOfBounds):
        return pair, ()


def _part(
    pair: Pair, assumed: Assumptions, context: Any, ends: tuple[Cut, Cut], steps_for: int | None
) -> Equal | _Unproved | None:
    """The verdict on one part; None if the part changes nothing that is needed later."""
    one = piece(pair, *ends)
    if one is None:
        return None
    most = _STEPS + _STEPS_EACH * _statements(one.pair) if steps_for is None else steps_for
    try:
        with steps.fresh(most):
            found = prove(one.pair, assumed, context)
    except OutOfWork:
        return _Unproved(one.where, f"its proof takes more than {most // 1_000_000} million steps")
    if isinstance(found, Equal):
        return found
    return _Unproved(one.where, found.reason if isinstance(found, Unknown) else f"{found.output} may differ")


def _wider(
    pair: Pair, assumed: Assumptions, context: Any, found: Sequence[Cut], k: int
) -> tuple[Equal | None, int] | None:
    """A proof of a part together with some around it, and the cut up to which it holds."""
    for first, last in _windows(k, len(found) - 1):
        result = _part(pair, assumed, context, (found[first], found[last]), steps_for=_STEPS)
        if not isinstance(result, _Unproved):
            return result, last
    return None


def _windows(k: int, count: int) -> Iterator[tuple[int, int]]:
    tried = {(k, k + 1)}
    for more in _AROUND:
        for first, last in ((k, k + 1 + more), (k - more, k + 1), (k - more, k + 1 + more)):
            window = max(0, first), min(count, last)
            if window not in tried:
                tried.add(window)
                yield window
