"""Tables of rules (TOML): one row is a name, two sides, side conditions, a class and a source.

Classes say what a rule asks of floating-point numbers. `exact`: results are
the same bit for bit. `reassociates`: equal over the real numbers, and a NaN
goes where it went; rounding differs. `finite-only`: equal over the real
numbers if nothing is NaN or infinite, up to the sign of zero. On integers
every rule has to hold for all bits.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from raising.eqsat.egraph.sexpr import RuleError
from raising.eqsat.ruleset.algebra import FOLLOWS, INT, KINDS, SAID_BY_PROGRAM, UnknownOperation, arity, operation
from raising.eqsat.ruleset.expression import (
    BadExpression,
    Expr,
    Node,
    Number,
    Var,
    number_names,
    parse,
    variables,
    walk,
)
from raising.support import cache
from raising.support.record import dataclass

CLASSES = ("exact", "reassociates", "finite-only")
FP = {"strict": CLASSES[:1], "reassoc": CLASSES[:2], "fast": CLASSES}
"""The classes that each `--fp` allows."""

DEFAULT = "default"  # the rule set of all families but those that explode
_CONDITION = re.compile(r"(rows|cols|batch)\((\w+)\) == (?:(\d+)|(rows|cols|batch)\((\w+)\))")
_FIELDS = {"name", "family", "left", "right", "both", "class", "kinds", "when", "source"}


@dataclass(frozen=True)
class Condition:
    """`part` (rows, cols, or batch: all leading extents) of a variable is `number`, or `part` of another.

    A batch of 1 has no leading extents.
    """

    part: str
    var: str
    number: int = 0
    other_part: str = ""
    other: str = ""

    def __str__(self) -> str:
        right = f"{self.other_part}({self.other})" if self.other else str(self.number)
        return f"{self.part}({self.var}) == {right}"


@dataclass(frozen=True)
class Rule:
    """One row of a table, as written; `place` is its file and line."""

    name: str
    family: str
    left: Expr
    right: Expr
    both: bool
    klass: str
    kinds: tuple[str, ...]
    when: tuple[Condition, ...]
    source: str
    place: tuple[str, int] = ("", 0)

    @property
    def digest(self) -> str:
        """A hash of what the row claims."""
        said = (str(self.left), str(self.right), self.both, self.klass, self.kinds, tuple(map(str, self.when)))
        return hashlib.blake2b(repr(said).encode(), digest_size=12).hexdigest()

    @property
    def associates(self) -> bool:
        """Whether both sides are the same product of matrices, and only the order of its products differs."""
        factors = [list(_factors(side)) for side in (self.left, self.right)]
        return len(factors[0]) > 2 and factors[0] == factors[1] and all(isinstance(f, Var) for f in factors[0])

    def directed(self) -> list[Directed]:
        """The rewrites that the row stands for."""
        found = []
        for kind in self.kinds:
            klass = CLASSES[0] if kind == INT else self.klass
            found.append(Directed(self, f"{self.name}.{kind}", self.left, self.right, kind, klass))
            if self.both:
                found.append(Directed(self, f"{self.name}.{kind}.back", self.right, self.left, kind, klass))
        return found


def _factors(side: Expr) -> Iterator[Expr]:
    """The factors of a product of matrices in order; what is none is the only one."""
    if isinstance(side, Node) and side.op == "matmul":
        for arg in side.args:
            yield from _factors(arg)
    else:
        yield side


@dataclass(frozen=True)
class Directed:
    """One rewrite: from left to right, for one kind of elements."""

    rule: Rule
    name: str
    left: Expr
    right: Expr
    kind: str
    klass: str


def read_table(text: str, file: str) -> tuple[Rule, ...]:
    """The rules of a table; `RuleError` with file and line if one is not well formed."""
    import tomllib  # what is shipped was read by an earlier process

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise RuleError(file, int(line[1]) if line else text.count("\n") + 1, str(error)) from error
    lines = [n for n, line in enumerate(text.splitlines(), 1) if line.strip() == "[[rule]]"]
    entries = data.get("rule", [])
    if set(data) - {"rule"} or not isinstance(entries, list) or len(entries) != len(lines):
        raise RuleError(file, 1, "a table of rules has [[rule]] sections and nothing else")
    rules = tuple(_rule(entry, file, line) for entry, line in zip(entries, lines, strict=True))
    seen: set[str] = set()
    for rule in rules:
        if rule.name in seen:
            raise RuleError(*rule.place, f"there are two rules '{rule.name}'")
        seen.add(rule.name)
    return rules


def _rule(entry: dict[str, Any], file: str, line: int) -> Rule:
    problem = _malformed(entry)
    if problem:
        raise RuleError(file, line, problem)
    try:
        rule = Rule(
            name=entry["name"],
            family=entry.get("family", Path(file).stem),
            left=parse(entry["left"]),
            right=parse(entry["right"]),
            both=entry.get("both", False),
            klass=entry["class"],
            kinds=tuple(entry.get("kinds", KINDS)),
            when=tuple(_condition(c) for c in entry.get("when", [])),
            source=entry.get("source", ""),
            place=(file, line),
        )
        for directed in rule.directed():
            check_form(directed)
    except (BadExpression, UnknownOperation) as error:
        raise RuleError(file, line, f"rule '{entry['name']}': {error}") from error
    return rule


def _malformed(entry: dict[str, Any]) -> str:
    name = entry.get("name", "?")
    missing = [f for f in ("name", "left", "right", "class") if not isinstance(entry.get(f), str)]
    if missing:
        return f"rule '{name}' has no text '{missing[0]}'"
    unknown = sorted(set(entry) - _FIELDS)
    if unknown:
        return f"rule '{name}' has an unknown field '{unknown[0]}'"
    if entry["class"] not in CLASSES:
        return f"rule '{name}': unknown class '{entry['class']}' (known: {', '.join(CLASSES)})"
    kinds, when = entry.get("kinds", KINDS), entry.get("when", [])
    if not kinds or any(k not in KINDS for k in kinds):
        return f"rule '{name}': kinds are some of {', '.join(KINDS)}"
    if not isinstance(when, list) or not all(isinstance(c, str) for c in when):
        return f"rule '{name}': 'when' is a list of texts"
    if not isinstance(entry.get("both", False), bool):
        return f"rule '{name}': 'both' is true or false"
    return "" if re.fullmatch(r"[\w.-]+", name) else f"'{name}' is no name for a rule"


def _condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(" ".join(text.split()))
    if match is None:
        raise BadExpression(f"'{text}' is no condition (rows(A) == 1, cols(A) == cols(B), …)")
    part, var, number, other_part, other = match.groups()
    if (part == "batch") != (other_part == "batch") and not (part == "batch" and number == "1"):
        raise BadExpression(f"'{text}' compares different things")
    return Condition(part, var, int(number or 0), other_part or "", other or "")


def check_form(directed: Directed) -> None:
    """`BadExpression` or `UnknownOperation` if a direction cannot be a rewrite."""
    left, right = directed.left, directed.right
    if not isinstance(left, Node):
        raise BadExpression("a side that matches everything cannot be rewritten")
    bound = {*variables(left), *{e.name for e in walk(left) if isinstance(e, Number) and e.name}}
    used = {*variables(right), *number_names(right)}
    used |= {v for c in directed.rule.when for v in (c.var, c.other) if v}
    if used - bound:
        raise BadExpression(f"'{sorted(used - bound)[0]}' is not bound by {left}")
    said = [{e.op for e in walk(side) if isinstance(e, Node)} & {*SAID_BY_PROGRAM, *FOLLOWS} for side in (left, right)]
    said[0] |= {op for op, others in FOLLOWS.items() if others <= said[0]}
    if said[1] - said[0]:
        raise BadExpression(f"which '{min(said[1] - said[0])}' it is follows from no operation of {left}")
    if any(isinstance(e, Number) and e.op for e in walk(left)):
        raise BadExpression("a computed number cannot be matched")
    for expr in (*walk(left), *walk(right)):
        if isinstance(expr, Node):
            operation(expr.op, directed.kind)
            wanted = arity(expr.op)
            if wanted and wanted != len(expr.args):
                raise BadExpression(f"'{expr.op}' takes {wanted} operands")
        if isinstance(expr, Number) and directed.kind == INT and expr.value != int(expr.value):
            raise BadExpression(f"{expr.value} is no integer")


# ---- what is shipped ---------------------------------------------------------------------------------

RULES = Path(__file__).parents[1] / "rules"


def shipped() -> tuple[Rule, ...]:
    """Every rule that comes with the program, as read now or by an earlier process."""
    files = sorted(RULES.glob("*.toml"))
    texts = [(f.name, f.read_text(encoding="utf-8")) for f in files]
    made_by = (path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    parts = [repr(texts).encode(), sys.version.encode(), *made_by]
    file = cache.entry("rules", parts)
    found: tuple[Rule, ...] | None = cache.kept(file)
    if found is None:
        found = tuple(rule for name, text in texts for rule in read_table(text, name))
        cache.keep(file, found)
    return found


def families(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The names by which parts of the rules can be chosen."""
    return tuple(dict.fromkeys(rule.family for rule in rules))


EXPLOSIVE = ("associativity",)  # families that are only used where they are asked for


class UnknownRuleset(ValueError):
    """There is no such rule set; the message names those there are."""


def chosen(rules: Sequence[Rule], names: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of some families; `default` and `all` are such names. `UnknownRuleset` for any other."""
    known = (*families(rules), DEFAULT, "all")
    for name in names:
        if name not in known:
            raise UnknownRuleset(f"unknown rule set '{name}' (known: {', '.join(sorted(known))})")
    wanted = {f for f in families(rules) if f in names or "all" in names}
    wanted |= {f for f in families(rules) if DEFAULT in names and f not in EXPLOSIVE}
    return tuple(rule for rule in rules if rule.family in wanted)
