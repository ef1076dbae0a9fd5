"""Assumptions of an answer, as values: of what kind, in words, where, and who needs it."""

from __future__ import annotations

from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Assumption:
    """A condition under which an answer stands.

    `kind` is one of `KINDS`. `condition` is in the names of the source (positions of arguments until they are named);
    `needed_by` is `source` or `target` where an operation of it is not defined otherwise, at `where`, else `proof`.
    """

    kind: str
    condition: str
    where: Loc = Loc()
    needed_by: str = "proof"

    def __str__(self) -> str:
        return f"{self.condition} ({self.needed_by}, {self.where})" if self.where.line else self.condition

    def record(self) -> dict[str, str]:
        """The same as JSON has it."""
        place = str(self.where) if self.where.line else ""
        return {"kind": self.kind, "condition": self.condition, "where": place, "needed_by": self.needed_by}


KINDS = {
    "real": "floats are the real numbers that they stand for",
    "nonzero": "a number that is divided by is not zero",
    "sign": "an argument of a square root, or an integer that is read without its sign, is not negative",
    "bounds": "accesses stay inside of their arrays",
    "sizes": "sizes meet a condition",
    "numbers": "the numbers of the files are what they are: at some others the answer may not stand",
    "extent": "an open extent is a number",
    "argument": "an argument is symmetric or triangular",
    "alias": "arguments do not overlap",
    "overflow": "positions do not overflow in their type",
    "defined": "an operation of the source is defined where it runs",
    "reader": "what the reader of C or Python takes for granted",
    "promise": "an operation keeps what its flags promise",
}
"""The kinds of assumptions."""

WITHOUT_SIGN = "sizes and positions without a sign are not negative as numbers with one"
REAL = Assumption("real", "floats are real numbers (finite, not NaN, zeros without sign) up to rounding")
"""Of floats wherever the operations are not the same in the same order."""
NONZERO = Assumption("nonzero", "denominators are not zero")
NOT_NEGATIVE = Assumption("sign", "arguments of square roots are not negative")
FIXED = Assumption("numbers", "the numbers of the files stay as they are (at others parallel iterations may meet)")
NO_OVERLAP = Assumption("alias", "arguments do not overlap")
INSIDE = Assumption("bounds", "both stay inside of their arrays")
