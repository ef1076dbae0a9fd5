"""The result of solving a segment: a term for each array, or the statements that have to stay loops."""

from __future__ import annotations

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Program
from raising.grammar.terms.term import Apply, Call, Term, within
from raising.segment.part_search import PartReport
from raising.segment.recurrence import Recurrence
from raising.segment.validity.standing import Standing
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.verdict import FieldEvidence


@dataclass(frozen=True)
class Failure:
    """Why a segment cannot be raised as a whole, and the statements that are to stay loops."""

    labels: tuple[str, ...]
    where: Loc
    reason: str


@dataclass(frozen=True)
class SegmentResult:
    """A segment as terms: final contents of each array that lives on, or failures.

    `loops` are those that stay in it because their iterations need one another. The terms stand at the sizes that
    `standing` gives, everywhere if it is None. `refuted`: a point showed its terms to be wrong.
    """

    program: Program
    values: dict[str, Lin]
    terms: dict[str, Term]
    evidence: FieldEvidence | None
    reports: tuple[PartReport, ...]
    failures: tuple[Failure, ...] = ()
    loops: tuple[Recurrence, ...] = ()
    standing: Standing | None = None
    refuted: bool = False

    @property
    def size(self) -> tuple[bool, int, int]:
        """Whether it failed, loops that stay, and operations."""
        terms = tuple(self.terms.values())
        return bool(self.failures), len(self.loops), sum(isinstance(t, Apply | Call) for t in within(terms))


def all_of(program: Program, reason: str) -> Failure:
    """The failure of all statements."""
    stores = list(program.stores())
    return Failure(tuple(s.label for s in stores), stores[0].loc, reason)
