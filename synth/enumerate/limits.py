"""The bounds of a search, and what it counts."""

from __future__ import annotations

import time
from dataclasses import field
from typing import TYPE_CHECKING

from raising.affine.ir.affine_expr import Lin
from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.synth.enumerate.store import Store


@dataclass
class Statistics:
    """Counts of one search.

    `enumerated` candidates, of which `static_filtered` were turned away by their
    types, `evaluated` fingerprinted, and `equivalence_filtered` equal to a known value.
    `work` are the elements computed of candidates, `completed` those computed to split goals.
    `guides` says for each guide how much it kept away or brought in. `recalled` counts searches
    that an earlier process made, whose counts these are.
    """

    enumerated: int = 0
    static_filtered: int = 0
    evaluated: int = 0
    equivalence_filtered: int = 0
    goals: int = 0
    work: int = 0
    completed: int = 0
    seconds: float = 0.0
    recalled: int = 0
    guides: dict[str, int] = field(default_factory=dict)

    def add(self, other: Statistics) -> None:
        """Sum the counts of another search into these."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name, count in other.guides.items():
            self.guide(name, count)

    def guide(self, name: str, count: int) -> None:
        """Count what a guide did."""
        self.guides[name] = self.guides.get(name, 0) + count


COUNTS = (
    *("enumerated", "static_filtered", "evaluated", "equivalence_filtered"),
    *("goals", "work", "completed", "seconds", "recalled"),
)


@dataclass(frozen=True)
class Limits:
    """Bounds: operations forward, splits backward, values, candidates, elements computed forward and backward.

    The `deadline`, a time of the monotonic clock, is that of the user. `room` is the
    most dimensions of each extent to range over. Without `types` operands that do not
    fit are enumerated and then turned away, without
    `equivalence` values equal to a known one are kept.
    """

    max_rank: int
    deadline: float
    max_forward: int = 4
    max_backward: int = 2
    max_values: int = 12_000
    max_candidates: int = 400_000
    max_work: int = 400_000_000
    max_completed: int = 1_000_000_000
    room: dict[Lin, int] | None = None
    types: bool = True
    equivalence: bool = True

    @property
    def late(self) -> bool:
        """True once the deadline has passed."""
        return time.monotonic() > self.deadline

    def incomplete(self, stats: Statistics) -> bool:
        """True once goals are not to be split any more."""
        return stats.completed > self.max_completed or self.late

    def exhausted(self, store: Store, stats: Statistics) -> bool:
        """True once any bound on the enumeration is reached."""
        full = len(store) > self.max_values or stats.enumerated > self.max_candidates
        return full or stats.work > self.max_work or self.late
