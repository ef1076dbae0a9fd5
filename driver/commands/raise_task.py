"""One call of `raise` as a value, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.grammar.open_target import Opened


@dataclass(frozen=True)
class Task:
    """One call of the command; `terminal` is a descriptor to show progress on, or None.

    `timeout` counts from the time `started` of the monotonic clock. `options` are other fields of `RaiseOptions`, with
    the fields of `raising.synth.search.Options` that are given as `search`.
    """

    data: bytes
    file: str
    target: str | Opened
    timeout: float
    started: float
    options: dict[str, Any]
    explain: bool = False
    verbose: bool = False
    terminal: int | None = None

    @property
    def target_name(self) -> str:
        """The name of the target."""
        return self.target if isinstance(self.target, str) else self.target.target.name


@dataclass(frozen=True)
class Outcome:
    """The module and what was said, or the error (then nothing else); `cut` is what was not finished in time."""

    text: str = ""
    lines: tuple[str, ...] = ()
    complete: bool = True
    statistics: dict[str, Any] | None = None
    error: str = ""
    cut: bool = False
