"""What is asked of a search: which of its parts are on, and how far it goes."""

from __future__ import annotations

import math

from raising.support.record import dataclass

GUIDES = {
    "operations": "only bodies made of the source's scalar operations",
    "reductions": "contractions and reductions only where values flow from one iteration to the next",
    "maps": "no more dimensions of one extent than the source has loops of it",
    "masks": "inputs with zeros where the source does not read them",
    "seeds": "the source's own subexpressions, over the loops that they depend on",
    "factors": "where nothing was found, operands of contractions by solving for them",
    "composites": "where nothing was found, the statement's own scalar body as one operation",
}
EVERY = frozenset(GUIDES)

ALONE = 12  # operations to enumerate forward where nothing is completed backward


@dataclass(frozen=True)
class Options:
    """Switches and bounds of the search; each part can be turned off to measure its worth.

    `guides` are names of `GUIDES`. Without `equivalence` equal values are
    all kept, without `types` operands that do not fit are enumerated too, without
    `backward` a program is found only once all of it has been enumerated;
    without any of these the search is the classic enumeration. `max_ops` is the
    largest program for one part. With `literal`, the statement's own scalar body as one operation is taken before
    anything is searched, as it rounds like the loops. All other bounds are counts; `timeout` is what is left of
    the seconds that the user gave.

    Whoever has computed `max_computed` elements, which takes five seconds, has not found anything later: of 1,200 parts
    of C that nobody here wrote, the largest that was found took 10 million.
    """

    guides: frozenset[str] = EVERY
    equivalence: bool = True
    types: bool = True
    backward: bool = True
    max_ops: int | None = None
    literal: bool = False
    timeout: float = math.inf
    max_forward: int = 4
    max_backward: int = 2
    max_values: int = 12_000
    max_candidates: int = 400_000
    max_work: int = 400_000_000
    max_computed: int = 40_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = sorted(self.guides - EVERY)
        if unknown:
            raise ValueError(f"unknown guide '{unknown[0]}' (known: {', '.join(GUIDES)})")
        if self.max_ops is not None and self.max_ops < 1:
            raise ValueError(f"a program has at least 1 operation, not {self.max_ops}")

    @property
    def levels(self) -> tuple[int, int]:
        """Operations to enumerate forward, and splits of the goal backward."""
        if not self.backward:
            return self.max_ops or ALONE, 0
        return min(self.max_forward, self.max_ops or self.max_forward), self.max_backward


NAIVE = Options(guides=frozenset(), equivalence=False, types=False, backward=False)
"""The classic enumeration: everything by size, types checked one by one, nothing merged."""
