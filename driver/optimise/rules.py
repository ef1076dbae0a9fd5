"""The rules of tables that an optimisation uses, bound to the dialects of its module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from raising.eqsat.ruleset.book import load_table, recorded, trusted
from raising.eqsat.ruleset.table import DEFAULT, EXPLOSIVE, Rule, chosen, shipped
from raising.eqsat.tensor_rules import TensorRules
from raising.grammar.dialects.committed import known
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import Target, read_target

if TYPE_CHECKING:
    from raising.eqsat.lift.meaning import Meanings
    from raising.grammar.select.selector import Selector

TABLE = ".toml"


def tabled(paths: Sequence[Path], rulesets: Sequence[str], bare: bool, own: Sequence[Rule] = ()) -> tuple[Rule, ...]:
    """The rules of the user's tables and of the named rule sets, beside `own` ones, which were checked.

    It is `default` if no rules are given by file or name, and `bare`; with `own` ones also what associates and
    distributes: the search writes sums and products as it finds them shortest, and not as a rule has them.
    """
    own = (*own, *(rule for path in paths if path.suffix == TABLE for rule in load_table(path)))
    names = rulesets or ((DEFAULT, *(EXPLOSIVE if own else ())) if bare and not paths else ())
    ours = trusted(chosen(shipped(), names), recorded()) if names else ()
    taken = {rule.name for rule in own}
    return (*own, *(rule for rule in ours if rule.name not in taken))


def tensor_rules(rules: Sequence[Rule], fp: str, host: Host) -> TensorRules:
    """The rules with the meanings and the spelling of every target that the host's MLIR knows."""
    return TensorRules(tuple(rules), cache(partial(_dialects, host)), fp)


def _dialects(host: Host) -> tuple[tuple[Meanings, Callable[[], Selector]], ...]:
    from raising.eqsat.lift.meaning import Meanings

    targets = [read_target(name) for name in known()]
    here = sorted((t for t in targets if t.bindings == host.target.bindings), key=lambda t: not t.general)

    def accepted(text: str) -> bool:
        try:
            host.ir.Module.parse(text, host.context)
        except host.errors:
            return False
        return True

    return tuple((Meanings(target), cache(partial(_speller, target, accepted))) for target in here)


def _speller(target: Target, accepted: Callable[[str], bool]) -> Selector:
    from raising.grammar.dialects.load import load
    from raising.grammar.select.selector import Selector

    return Selector(load(target.name), target, accepted)
