"""A check held against the oracle: what it says of each mutant, and whether that may be."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from grammar.sample import Unsizable
from tests.mutants.brute import difference
from tests.mutants.edits import Mutant, mutants
from validate.pair import Assumptions, Pair
from validate.replay import small_sizes
from validate.verdict import Bounded, FieldEvidence, Proved, Refuted, Unknown, Verdict

Check = Callable[[Pair], Verdict | FieldEvidence]


@dataclass(frozen=True)
class Judged:
    """One mutant: what the check said, what the oracle saw, and the seconds of the check.

    `said` is `accepted`, `refuted` (with an input that was replayed), `outside` (refuted by its accesses alone) or
    `unknown`.
    """

    subject: str
    kind: str
    what: str
    said: str
    wrong: str
    reason: str
    seconds: float


def sample(pair: Pair, count: int, seed: int = 0) -> list[Mutant]:
    """Mutants of a pair's target, at most `count`."""
    found = list(mutants(pair.target))
    return random.Random(seed).sample(found, count) if len(found) > count else found


def judged(subject: str, pair: Pair, chosen: Sequence[Mutant], check: Check) -> Iterator[Judged]:
    """The check on each of some mutants."""
    sizes = oracle_sizes(pair)
    for mutant in chosen:
        wrong_pair = replace(pair, target=mutant.program)
        started = time.perf_counter()
        verdict = check(wrong_pair)
        seconds = time.perf_counter() - started
        claimed = [dict(v) for v in verdict.sizes] if isinstance(verdict, Bounded) else sizes
        wrong = difference(pair.source, mutant.program, pair.outputs, claimed)
        said, reason = _said(verdict)
        yield Judged(subject, mutant.kind, mutant.what, said, wrong, reason, seconds)


def _said(verdict: Verdict | FieldEvidence) -> tuple[str, str]:
    match verdict:
        case Refuted(text, example):
            return ("outside" if example is None or example.output == "memory access" else "refuted"), text
        case Unknown(reason):
            return "unknown", reason
        case Proved() | Bounded() | FieldEvidence():
            return "accepted", ""
        case _:
            raise TypeError(verdict)


def oracle_sizes(pair: Pair) -> list[Mapping[str, int]]:
    """Where the oracle looks: the smallest sizes, and some that a check does not use first."""
    names = pair.source.sizes
    tiny = [{n: k for n in names} for k in (1, 2)] + [{n: 2 + k % 3 for k, n in enumerate(names)}]
    found: list[Mapping[str, int]] = [v for v in tiny if all(c.holds(v) for c in pair.source.context)]
    with suppress(Unsizable):
        found += small_sizes(pair, 2)
    return found or [{}]


def field_level(pair: Pair) -> FieldEvidence | Refuted | Unknown:
    """The check in the field alone."""
    from validate.field_pair import check_field_pair

    return check_field_pair(pair, Assumptions(), count=2)


def bounded_level(pair: Pair) -> Verdict:
    """The check at small sizes alone."""
    from validate.bounded import check_bounded

    try:
        return check_bounded(pair, small_sizes(pair, 1), Assumptions(), seconds=2.0)
    except Unsizable as error:
        return Unknown(str(error))


def whole(pair: Pair) -> Verdict:
    """What `raise-check` does first and next, without the process around each: the proof, then small sizes."""
    from validate.check import _proved  # the proof as it is shipped, confirmed by runs

    found = _proved(pair, Assumptions(), None)
    return found if not isinstance(found, Unknown) else bounded_level(pair)
