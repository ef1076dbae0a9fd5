"""Explanations: which rules led from the source to the result, in steps that are checked again one by one.

The engine keeps no proofs. So saturation is run again with more and more rounds; where a better program comes out,
that is a step. The rules of a step are those without which it cannot be made from the program before it, found by
leaving rules out. Each step is then compared by itself, as `raise-check` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from raising.eqsat.egraph.dialegg import Rules
from raising.eqsat.egraph.sexpr import Form, read, show
from raising.eqsat.ruleset.table import Rule
from raising.support.record import dataclass

_UNWRITTEN = re.compile(r"tensor\.empty\(\) : (tensor<(?:\d+x)+(b?f\d+|i\d+)>)")
_FACT = "type-of"
_REWRITES = ("rewrite", "birewrite")
_EQUAL = 1e-9  # of a cost


@dataclass(frozen=True)
class Chosen:
    """Rules of files and of tables, each of which can be left out."""

    files: Rules
    tables: tuple[Rule, ...]

    def names(self) -> tuple[str, ...]:
        """The rules that make terms equal: `file:line` in files, the name and its place in tables."""
        from_files = [_name(form, file) for form, file in self._forms() if _makes_equal(form)]
        return (*from_files, *(_title(rule) for rule in self.tables))

    def only(self, kept: frozenset[str]) -> Chosen:
        """Without the rules that are not in `kept`; those that only compute facts stay."""
        texts = tuple((_text(text, file, kept), file) for text, file in self.files.texts)
        return Chosen(replace(self.files, texts=texts), tuple(r for r in self.tables if _title(r) in kept))

    def _forms(self) -> Iterator[tuple[Form, str]]:
        for text, file in self.files.texts:
            yield from ((form, file) for form in read(text, file) if isinstance(form, Form))


@dataclass(frozen=True)
class Program:
    """A module with its cost, and how many rounds of rules it took."""

    text: str
    cost: float
    rounds: int


@dataclass(frozen=True)
class Step:
    """One step: the rules that it takes, the costs before and after, and how equal the two programs are known to be."""

    rules: tuple[str, ...]
    before: float
    after: float
    verdict: str

    def __str__(self) -> str:
        rules = ", ".join(self.rules) or "operations that are there already"
        return f"cost {self.before:.6g} -> {self.after:.6g} by {rules} [{self.verdict}]"


Run = Callable[[str, Chosen, int], Program]
"""Optimise a module under rules for at most a number of rounds; 0 is as many as it takes."""


def explain(source: str, rules: Chosen, functions: Sequence[str], run: Run) -> list[Step]:
    """The steps from a module to its optimised form."""
    facts = rules.only(frozenset())

    def priced(found: Program) -> Program:
        """The cost as facts alone tell it: rules that compute costs may not have run in few rounds."""
        return replace(found, cost=run(found.text, facts, 0).cost)

    final, now = run(source, rules, 0), priced(Program(source, 0.0, 0))
    steps = []
    for rounds in range(1, final.rounds + 1):
        found = priced(run(source, rules, rounds))
        if found.cost < now.cost * (1 - _EQUAL):
            steps.append(_step(now, found, rules, functions, run))
            now = found
    return steps


def _step(before: Program, after: Program, rules: Chosen, functions: Sequence[str], run: Run) -> Step:
    def enough(kept: Sequence[str]) -> bool:
        return run(before.text, rules.only(frozenset(kept)), 0).cost <= after.cost * (1 + _EQUAL)

    needed = _least(list(rules.names()), enough)
    verdicts = {_verdict(before.text, after.text, name) for name in functions}
    return Step(tuple(needed), before.cost, after.cost, ", ".join(sorted(verdicts)))


def _least(names: list[str], enough: Callable[[Sequence[str]], bool]) -> list[str]:
    """A part of `names` that is enough and of which none can be left out; halves are tried first."""
    size = len(names) // 2
    while size:
        start = 0
        while start < len(names):
            rest = names[:start] + names[start + size :]
            if enough(rest):
                names = rest
            else:
                start += size
        size //= 2
    return names


def _verdict(before: str, after: str, function: str) -> str:
    from raising.validate.base.verdict import level  # who asks for no explanation need not import the proof
    from raising.validate.check import CheckOptions, check

    options = CheckOptions(functions=(function, function))
    return level(check(_written(before), _written(after), options))


def _written(text: str) -> str:
    """A module in which what nothing has written is zero: a sum that starts there has a value."""
    return _UNWRITTEN.sub(lambda m: f"arith.constant dense<{'0.0' if 'f' in m[2] else '0'}> : {m[1]}", text)


def _makes_equal(form: Form) -> bool:
    """True for a rule that makes programs equal; others compute facts, such as the type of a term."""
    return form.head in _REWRITES or (form.head == "rule" and any(_joins(f) for f in _forms_in(form)))


def _joins(form: Form) -> bool:
    return form.head == "union" and not (isinstance(form.items[1], Form) and form.items[1].head == _FACT)


def _forms_in(form: Form) -> Iterator[Form]:
    yield form
    for item in form.items:
        if isinstance(item, Form):
            yield from _forms_in(item)


def _name(form: Form, file: str) -> str:
    return f"{file}:{form.line}"


def _title(rule: Rule) -> str:
    return f"{rule.name} ({rule.place[0]}:{rule.place[1]})"


def _text(text: str, file: str, kept: frozenset[str]) -> str:
    """A text without some rules; all that stays is in its line."""
    lines: list[str] = []
    for form in read(text, file):
        if isinstance(form, Form) and (not _makes_equal(form) or _name(form, file) in kept):
            lines += [""] * (form.line - 1 - len(lines))
            lines.append(show(form))
    return "\n".join(lines)
