"""Parts that may be cheaper as one: two sequential loops, or two reductions into one array by the same operations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from raising.affine.polyhedral.distribution import Distribution, Part, distribute
from raising.affine.polyhedral.sequential_loops import sequential_loops


def joinable(
    distribution: Distribution, sequential: Sequence[Part], together: frozenset[frozenset[str]], deadline: float
) -> Iterator[frozenset[str]]:
    """The statements of two parts each that are worth solving as one; `sequential` are loops that stay."""
    for pair in itertools.combinations(sequential, 2):
        part = _joined(pair, distribution, together, deadline)
        kept = sequential_loops(part.program, deadline) if part is not None else ()
        if any(not one.in_place for one in itertools.islice(kept, 1)):
            yield _labels(pair)
    for pair in itertools.combinations(distribution.parts, 2):
        if _alike(*pair) and _joined(pair, distribution, together, deadline) is not None:
            yield _labels(pair)


def _labels(parts: Sequence[Part]) -> frozenset[str]:
    return frozenset(s.label for part in parts for s in part.statements)


def _joined(
    parts: Sequence[Part], distribution: Distribution, together: frozenset[frozenset[str]], deadline: float
) -> Part | None:
    """Two parts as one; None if others would have to join them."""
    labels = _labels(parts)
    found = distribute(distribution.scop, together | {labels}, deadline).parts
    part = next(p for p in found if labels <= {s.label for s in p.statements})
    return part if len(part.statements) == len(labels) and not part.problem else None


def _alike(first: Part, second: Part) -> bool:
    """True if the second goes on with the reduction that the first made."""
    if not (first.accumulates and second.accumulates and first.outputs.keys() == second.outputs.keys()):
        return False
    operations = {s.operations for part in (first, second) for s in part.statements}
    follows = all(second.outputs[a].count == made.count + 1 for a, made in first.outputs.items())
    return len(operations) == 1 and follows
