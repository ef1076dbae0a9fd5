"""What bounds a search, and what it counts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synth.store import Store


@dataclass
class Statistics:
    """Counts of one search: candidates enumerated, left out by type, evaluated, and equal to a known value."""

    enumerated: int = 0
    type_filtered: int = 0
    evaluated: int = 0
    filtered: int = 0
    goals: int = 0
    work: int = 0
    seconds: float = 0.0

    def add(self, other: Statistics) -> None:
        """Sum the counts of another search into these."""
        for name in ("enumerated", "type_filtered", "evaluated", "filtered", "goals", "work", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True)
class Limits:
    """Bounds: operations forward, splits backward, values, candidates, elements computed; a monotonic deadline."""

    max_rank: int
    deadline: float
    max_forward: int = 4
    max_backward: int = 2
    max_values: int = 12_000
    max_candidates: int = 400_000
    max_work: int = 400_000_000

    @property
    def late(self) -> bool:
        """True once the deadline has passed."""
        return time.monotonic() > self.deadline

    def exhausted(self, store: Store, stats: Statistics) -> bool:
        """True once any bound on the enumeration is reached."""
        full = len(store) > self.max_values or stats.enumerated > self.max_candidates
        return full or stats.work > self.max_work or self.late
