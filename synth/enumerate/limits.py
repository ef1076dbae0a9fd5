"""The bounds of a search, and what it counts."""

from __future__ import annotations

import time
from collections.abc import Sized
from dataclasses import field, fields

from raising.affine.ir.affine_expr import Lin
from raising.support.record import dataclass
from raising.synth.search_options import Options


@dataclass
class Statistics:
    """Counts of one search.

    `enumerated` candidates, of which `static_filtered` were turned away by their
    types, `evaluated` fingerprinted, and `equivalence_filtered` equal to a known value.
    `work` are the elements of candidates, of which `computed` had to be, as their fingerprints do not follow from those
    of their operands; `completed` are elements that were computed to split goals.
    `guides` says for each guide how much it kept away or brought in. `recalled` counts searches
    that an earlier process made, whose counts these are.
    """

    enumerated: int = 0
    static_filtered: int = 0
    evaluated: int = 0
    equivalence_filtered: int = 0
    goals: int = 0
    work: int = 0
    computed: int = 0
    completed: int = 0
    seconds: float = 0.0
    recalled: int = 0
    guides: dict[str, int] = field(default_factory=dict)

    def add(self, other: Statistics) -> None:
        """Sum the counts of another search into these."""
        for name in (f.name for f in fields(self) if f.name != "guides"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, count in other.guides.items():
            self.guide(name, count)

    def guide(self, name: str, count: int) -> None:
        """Count what a guide did."""
        self.guides[name] = self.guides.get(name, 0) + count


MAX_COMPLETED = 1_000_000_000
"""Elements that may be computed to split goals."""


@dataclass(frozen=True)
class Limits:
    """The bounds of one search: those of the options, and those that follow from the specification.

    The `deadline`, a time of the monotonic clock, is that of the user. Tensors have at most `max_rank` dimensions, and
    `room` says how many dimensions of each extent a computation may range over (None: any number).
    """

    options: Options
    deadline: float
    max_rank: int
    room: dict[Lin, int] | None = None

    @property
    def late(self) -> bool:
        """True once the deadline has passed."""
        return time.monotonic() > self.deadline

    def incomplete(self, stats: Statistics) -> bool:
        """True once goals are not to be split any more."""
        return stats.completed > MAX_COMPLETED or self.late

    def exhausted(self, store: Sized, stats: Statistics) -> bool:
        """True once any bound on the enumeration is reached."""
        options = self.options
        full = len(store) > options.max_values or stats.enumerated > options.max_candidates
        far = stats.work > options.max_work or stats.computed > options.max_computed
        return full or far or self.late
