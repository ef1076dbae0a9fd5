"""The options of the decorator."""

from __future__ import annotations

from raising.support.record import dataclass

CHECKS = ("none", "field", "proof", "native", "full")
FP = ("strict", "reassoc", "fast")


@dataclass(frozen=True)
class Settings:
    """Options of `raising.jit`.

    `check` is how much is checked of what was raised, as of `raise_module`; `fp` and `threads` are those of `compile`.
    Without `optimise`, equality saturation is left out; without `cache`, nothing is read from disk, or kept there.
    `timeout` bounds raising, in seconds: loops that are not raised by then are compiled as they are.
    """

    check: str = "proof"
    fp: str = "reassoc"
    threads: int = 1
    optimise: bool = True
    cache: bool = True
    timeout: float = 60.0

    def __post_init__(self) -> None:
        for name, known in (("check", CHECKS), ("fp", FP)):
            given = getattr(self, name)
            if given not in known:
                raise ValueError(f"raising.jit: unknown {name} '{given}' (known: {', '.join(known)})")
        if type(self.threads) is not int or self.threads < 1:
            raise ValueError(f"raising.jit: at least 1 thread has to run, not {self.threads}")
        if not self.timeout > 0:
            raise ValueError(f"raising.jit: timeout must be more than 0 seconds, not {self.timeout:g}")
