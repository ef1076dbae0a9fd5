"""Remarks: what was done to a loop, or why it stays, and where."""

from __future__ import annotations

from affine.program import Loc
from affine.record import dataclass


@dataclass(frozen=True)
class Remark:
    """`kind` is `raised`, `kept` or `note`; `why` one sentence; `hint` what the user can do about it."""

    kind: str
    where: Loc
    why: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.where}: remark: {self.why}{hint}"
