"""The record of what was checked about the shipped rules: one whose row is in it as it stands is not checked again.

`python -m tests.bench.eqsat.rules_page` checks every rule, and writes the record and the page that documents them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from raising.eqsat.egraph.sexpr import rule_text
from raising.eqsat.ruleset.table import RULES, Rule, read_table

RECORD = "checked.json"
Record = dict[str, dict[str, object]]


def recorded() -> Record:
    """The record of the last checks of the tables."""
    file = RULES / RECORD
    found: Record = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


def trusted(rules: Iterable[Rule], record: Record) -> tuple[Rule, ...]:
    """The rules, those checked now that the record does not hold; `RuleError` with a counterexample."""
    rules = tuple(rules)
    unknown = [r for r in rules if record.get(r.name, {}).get("row") != r.digest]
    if unknown:
        from raising.eqsat.ruleset.rule_check import check

        for rule in unknown:
            check(rule)
    return rules


def load_table(path: Path) -> tuple[Rule, ...]:
    """A table of rules from disk, checked; `RuleError` names the place of what is wrong."""
    return trusted(read_table(rule_text(path), str(path)), {})
