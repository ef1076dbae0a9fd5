"""The options of the decorator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.eqsat.ruleset.rule_sets import RuleSet

CHECKS = ("none", "field", "proof", "native", "full")
FP = ("strict", "reassoc", "fast")


@dataclass(frozen=True)
class Settings:
    """Options of `raising.jit`.

    `check` is how much is checked of what was raised, as of `raise_module`; `fp` and `threads` are those of `compile`.
    Without `optimise`, equality saturation is left out; without `cache`, nothing is read from disk, or kept there.
    `timeout` bounds raising, in seconds: loops that are not raised by then are compiled as they are; a proof that code
    does not depend on may take a twelfth of it.
    `rules` are used by saturation beside our own, see `raising.rule`; under `fp="strict"` those that are exact.
    """

    check: str = "proof"
    fp: str = "reassoc"
    threads: int = 1
    optimise: bool = True
    cache: bool = True
    timeout: float = 60.0
    rules: RuleSet | None = None

    def __post_init__(self) -> None:
        for name, known in (("check", CHECKS), ("fp", FP)):
            given = getattr(self, name)
            if given not in known:
                raise ValueError(f"raising.jit: unknown {name} '{given}' (known: {', '.join(known)})")
        if type(self.threads) is not int or self.threads < 1:
            raise ValueError(f"raising.jit: at least 1 thread has to run, not {self.threads}")
        if not self.timeout > 0:
            raise ValueError(f"raising.jit: timeout must be more than 0 seconds, not {self.timeout:g}")
        if self.rules is not None and not hasattr(self.rules, "stages"):
            raise ValueError("raising.jit: rules are made by raising.rule, and joined by | and >>")

    @property
    def key(self) -> str:
        """All that code depends on, as text."""
        return repr((*(v for k, v in vars(self).items() if k != "rules"), self.rules and self.rules.digest))
