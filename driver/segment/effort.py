"""How much work raising one function may take, counted: the result is the same on a busy machine.

Only the time limit that the user gives is one of the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from raising.affine.polyhedral import counted_steps as steps
from raising.support.errors import OutOfWork
from raising.support.record import dataclass
from raising.synth.enumerate.limits import Statistics

SPENT = "the bound on work for one function was reached"

_STEPS, _STEPS_EACH = (
    40_000_000,
    1_000_000,
)  # of integer sets (`raising.affine.polyhedral.counted_steps`), and more for each statement
_CANDIDATES, _CANDIDATES_EACH = 1_000_000, 50_000
_ELEMENTS, _ELEMENTS_EACH = 1_000_000_000, 20_000_000  # computed, forward and backward


@dataclass
class Effort:
    """The work left for a function of so many statements: candidates of the search, elements, steps of integer sets.

    It may take a `share` of what is known to lead to something in the end.
    """

    statements: int = 0
    share: float = 1.0
    candidates: int = 0
    elements: int = 0
    spent: bool = False

    def charge(self, stats: Statistics) -> None:
        """Count the work of a search, and note whether that was the last that may be spent."""
        self.candidates += stats.enumerated
        self.elements += stats.work + stats.completed
        self.spent |= self.candidates > self._most(_CANDIDATES, _CANDIDATES_EACH)
        self.spent |= self.elements > self._most(_ELEMENTS, _ELEMENTS_EACH)

    def _most(self, once: int, each: int) -> int:
        return int(self.share * (once + self.statements * each))

    @contextmanager
    def analysing(self) -> Iterator[None]:
        """Work on integer sets: `OutOfWork` when the steps for this function are used up."""
        try:
            with steps.at_most(self._most(_STEPS, _STEPS_EACH)):
                yield
        except OutOfWork:
            self.spent = True
            raise


def begun(statements: int, share: float) -> Effort:
    """The effort for the next function, nothing of it spent."""
    steps.restart()
    return Effort(statements, share)
