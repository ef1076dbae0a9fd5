"""The options of raising, and the values that each may have."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from raising.grammar.open_target import Opened
from raising.support.record import dataclass
from raising.synth.search_options import Options

if TYPE_CHECKING:
    from raising.eqsat.ruleset.rule_sets import RuleSet

ABIS = ("memref", "tensor")
CHECKS = ("none", "field", "proof", "native", "full")
PROVING = CHECKS[2:]  # those with a proof
TIMEOUT = 600.0  # seconds: what work is bounded to takes a tenth of that on an idle machine


@dataclass(frozen=True)
class RaiseOptions:
    """The options of raising; the command's options have the same names.

    `timeout` bounds everything, in seconds of the clock: loops not raised by then stay. It is there for the
    impatient; what is searched and proved is bounded by counted work, so that it does not depend on the machine.
    `check` is how much is checked after the search: nothing, fresh points of
    the field at other sizes, also the proof for all sizes, or also a native
    run beside the loops (`native`: at smaller sizes where a run would take
    long and there is a proof; `full`: at those of the file). With `strict_fp`, what is not proved to do the same
    operations on floats in the same order stays. With `guard`, what is assumed of the places and sizes of memory is
    tested at run time, and the loops run where it does not hold. With `rules` of `raising.rule`, what was raised is
    rewritten by them and our own where that is cheaper; under `strict_fp` by those that are exact. With `places`, the
    text has MLIR's locations: of each operation, the statements that it comes from.
    `target` is a name, the path of a target's `.toml` file, or what
    `raising.grammar.open_target.open_target` made of one of them; without `cache`, nothing
    that an earlier process kept on disk is used. A proof may take `proof_share` of the timeout. Functions that take
    more than an eighth of the work that one may take are raised after the others, and may all together take `effort`
    times that work.
    `search` are the switches and bounds of the search; `threads` is how many processes
    search at once.
    """

    target: str | Opened = "linalg"
    abi: str = "memref"
    timeout: float = TIMEOUT
    proof_share: float = 1.0
    effort: float = math.inf
    check: str = "native"
    search: Options = field(default_factory=Options)
    cache: bool = True
    threads: int = 1
    strict_fp: bool = False
    guard: bool = False
    rules: RuleSet | None = None
    places: bool = False

    def __post_init__(self) -> None:
        for name, known in (("abi", ABIS), ("check", CHECKS)):
            given = getattr(self, name)
            if given not in known:
                raise ValueError(f"unknown {name} '{given}' (known: {', '.join(known)})")
        if self.strict_fp and self.check not in PROVING:
            raise ValueError(f"strict_fp takes the check {' or '.join(map(repr, PROVING))}, not '{self.check}'")
        if self.threads < 1:
            raise ValueError(f"at least 1 process has to search, not {self.threads}")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")
        if not self.effort > 0:
            raise ValueError(f"effort must be more than 0, not {self.effort:g}")
        if not 0 < self.proof_share <= 1:
            raise ValueError(f"proof_share must be more than 0 and at most 1, not {self.proof_share:g}")
