"""Sets of rules as values: joined (`a | b`), and run one after the other (`a >> b`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

from raising.eqsat.ruleset.table import CLASSES, Rule
from raising.support.record import dataclass


@dataclass(frozen=True)
class RuleSet:
    """Checked rules in stages, each of which saturates what the one before it made.

    `evidence` has how each rule was checked, by name; `function` is what a rule was written as, if it is one alone.
    """

    stages: tuple[tuple[Rule, ...], ...]
    evidence: tuple[tuple[str, str], ...] = ()
    function: Callable[..., Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        known: dict[str, Rule] = {}
        for rule in self.rules:
            if known.setdefault(rule.name, rule) != rule:
                raise ValueError(f"two different rules are called '{rule.name}'")

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in order."""
        return tuple(dict.fromkeys(rule for stage in self.stages for rule in stage))

    @property
    def digest(self) -> str:
        """A text that changes if any claim of a rule changes."""
        return " >> ".join(" | ".join(f"{r.name} {r.digest}" for r in stage) for stage in self.stages)

    def granted(self) -> tuple[tuple[Rule, ...], ...]:
        """The rules as one who gives them allows them: all wherever floats may be rounded differently."""
        reassociates = CLASSES[1]
        exact = CLASSES[0]
        return tuple(
            tuple(r if r.klass == exact else replace(r, klass=reassociates) for r in stage) for stage in self.stages
        )

    def __or__(self, other: RuleSet) -> RuleSet:
        """The rules of both at once; one stage joins each of several. ValueError for sequences of two lengths."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        one, two = self.stages, other.stages
        if len(one) != len(two) and 1 not in (len(one), len(two)):
            raise ValueError(f"{len(one)} stages of rules cannot be joined with {len(two)}")
        count = max(len(one), len(two))
        one, two = (s * count if len(s) == 1 else s for s in (one, two))
        stages = tuple(tuple(dict.fromkeys((*a, *b))) for a, b in zip(one, two, strict=True))
        return RuleSet(stages, tuple(dict.fromkeys((*self.evidence, *other.evidence))))

    def __rshift__(self, other: RuleSet) -> RuleSet:
        """The rules of `self`, and then those of `other` on what these made."""
        if not isinstance(other, RuleSet):
            return NotImplemented
        return RuleSet(self.stages + other.stages, tuple(dict.fromkeys((*self.evidence, *other.evidence))))

    def __repr__(self) -> str:
        return f"<rules {' >> '.join(' | '.join(r.name for r in stage) for stage in self.stages)}>"

    def __str__(self) -> str:
        known = dict(self.evidence)
        return "\n".join(_shown(rule, known.get(rule.name, "")) for rule in self.rules)

    def __reduce__(self) -> tuple[Any, ...]:
        return RuleSet, (self.stages, self.evidence)


def _shown(rule: Rule, how: str) -> str:
    when = f" when {', '.join(map(str, rule.when))}" if rule.when else ""
    return f"{rule.name}: {rule.left} {'<->' if rule.both else '->'} {rule.right}{when} [{rule.klass}; {how}]"
