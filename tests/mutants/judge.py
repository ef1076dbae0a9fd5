"""A check held against the oracle: what it says of each mutant, and whether that may be."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import islpy as isl

from raising.frontend.mlir.reader import InputError
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.validate.base.assumption import INSIDE
from raising.validate.base.unreadable import Unreadable
from raising.validate.base.verdict import Bounded, FieldEvidence, Proved, Refuted, Unknown, Verdict
from raising.validate.reading.pair import Assumptions, Pair, generalised, read_pair
from raising.validate.run.sizes_to_run import small_sizes
from tests.mutants.brute import difference
from tests.mutants.edits import mutants
from tests.mutants.hidden import far, hidden
from tests.mutants.terms import edits

OWN = 64  # sizes of the files up to which the oracle runs these, too
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


@dataclass(frozen=True)
class Changed:
    """A pair with a changed target; `kind` is the operator that changed it, `what` the change.

    `sizes` are where the oracle looks, if that is not `oracle_sizes`.
    """

    kind: str
    what: str
    pair: Pair
    sizes: tuple[Mapping[str, int], ...] = ()


def sample(pair: Pair, count: int, seed: int = 0) -> list[Changed]:
    """Mutants of a pair's target, at most `count`."""
    found = list(mutants(pair.target))
    chosen = random.Random(seed).sample(found, count) if len(found) > count else found
    return [Changed(m.kind, m.what, replace(pair, target=m.program)) for m in chosen]


def sample_far(pair: Pair, start: int, count: int, seed: int = 0) -> list[Changed]:
    """Mutants of a pair of which nothing runs at sizes up to `start`, at most `count`."""
    sizes = tuple({n: v + start for n, v in vector.items()} for vector in oracle_sizes(pair))
    return [replace(c, pair=far(c.pair, start), sizes=sizes) for c in sample(pair, count, seed)]


def sample_hidden(pair: Pair, count: int, seed: int = 0) -> list[Changed]:
    """Changes of a function on one border of its parameters each, at most `count`."""
    found = [(h, replace(pair, target=h.mutant.program)) for h in hidden(pair, count, seed) if h.sizes]
    return [Changed(h.mutant.kind, h.mutant.what, changed, h.sizes) for h, changed in found]


def sample_terms(source: str, target: str, count: int, seed: int = 0) -> list[Changed]:
    """Valid mutants of the text of a raised program, at most `count`."""
    found = list(edits(target))
    random.Random(seed).shuffle(found)
    chosen: list[Changed] = []
    for kind, what, text in found:
        if len(chosen) == count:
            break
        with suppress(InputError, Unreadable):
            chosen.append(Changed(kind, what, generalised(read_pair(source, text))))
    return chosen


def judged(subject: str, chosen: Sequence[Changed], check: Check) -> Iterator[Judged]:
    """The check on each of some mutants."""
    for mutant in chosen:
        pair = mutant.pair
        started = time.perf_counter()
        verdict = check(pair)
        seconds = time.perf_counter() - started
        claimed, inside = _claimed(verdict, mutant.sizes or oracle_sizes(pair))
        if isinstance(verdict, FieldEvidence) and mutant.sizes:  # tests speak of the sizes that they list
            claimed = [dict(v) for v in verdict.size_vectors]
        wrong = difference(pair.source, pair.target, pair.outputs, claimed, inside=inside)
        said, reason = _said(verdict)
        yield Judged(subject, mutant.kind, mutant.what, said, wrong, reason, seconds)


_SIZES = "sizes are such that "


def _claimed(
    verdict: Verdict | FieldEvidence, sizes: Sequence[Mapping[str, int]]
) -> tuple[Sequence[Mapping[str, int]], bool]:
    """The sizes that a verdict speaks of, and whether it takes for granted that accesses stay inside."""
    if isinstance(verdict, Bounded):
        return [dict(v) for v in verdict.sizes], False
    if not isinstance(verdict, Proved):
        return sizes, False
    found = list(sizes) + [{n: v + more for n, v in sizes[-1].items()} for more in (1, 3)]
    for text in (a.condition for a in verdict.assumptions):
        if text.startswith(_SIZES):
            found = [v for v in found if _holds(text.removeprefix(_SIZES), v)]
    return found, INSIDE in verdict.assumptions


def _holds(condition: str, sizes: Mapping[str, int]) -> bool:
    point = " and ".join(f"{n} = {v}" for n, v in sizes.items())
    names = ", ".join(sizes)
    return not isl.Set(f"[{names}] -> {{ : ({condition}) and {point} }}").is_empty()


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
    """Where the oracle looks: the smallest sizes, some that a check does not use first, and small ones of the files."""
    names = pair.source.sizes
    tiny = [{n: k for n in names} for k in (1, 2)] + [{n: 2 + k % 3 for k, n in enumerate(names)}]
    found: list[Mapping[str, int]] = [v for v in tiny if all(c.holds(v) for c in pair.source.context)]
    with suppress(Unsizable):
        found += small_sizes(pair, 2)
    if len(pair.sizes) == len(names) and all(v <= OWN for v in pair.sizes.values()):
        found.append(pair.sizes)
    return found or [{}]


def field_level(pair: Pair) -> FieldEvidence | Refuted | Unknown:
    """The check in the field alone."""
    from raising.validate.field.pair_check import check_field_pair

    return check_field_pair(pair, Assumptions(), count=2)


def bounded_level(pair: Pair) -> Verdict:
    """The check at small sizes alone."""
    from raising.validate.bounded.bounded import check_bounded

    try:
        return check_bounded(pair, small_sizes(pair, 1), Assumptions(), steps=100_000)
    except Unsizable as error:
        return Unknown(str(error))


def whole(pair: Pair) -> Verdict:
    """What `raise-check` does first and next, without the process around each: the proof, then small sizes."""
    from raising.validate.proof.confirmed import proved  # as it is shipped: confirmed by runs

    found = proved(pair, Assumptions(), None)
    return found if not isinstance(found, Unknown) else bounded_level(pair)
