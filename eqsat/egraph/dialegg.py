"""Rule files in DialEgg's vocabulary (an older egglog), as programs of today's egglog.

What changed between the two: tables over terms are `constructor`s and the rest
`function`s with a merge; setting a table over terms is a union; globals carry
a `$`; a bare `?` is `_`; a panic says where it is; costs that rules compute (`unstable-cost`) are a
table of their own, which extraction reads. Lines stay where they are, so that
the engine's complaints name the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path

from raising.eqsat.egraph.engine import Schedule
from raising.eqsat.egraph.sexpr import Atom, Form, RuleError, Sexpr, atoms, read, rule_text, show
from raising.eqsat.egraph.vocabulary import PRELUDE
from raising.support.record import dataclass

COST = "cost-of:"
_COLUMNS = frozenset({"Op", "AttrPair", "Region", "Type"})
_TERMS = frozenset({"Type", "Attr", "AttrPair", "Op", "Block", "Region"})
_DECLARE = frozenset({"sort", "datatype", "function", "constructor", "relation", "ruleset"})
_ACTIONS = ("set", "union", "unstable-cost", "delete", "subsume")
_MERGES = {":merge", ":no-merge"}
_IGNORED = frozenset({"extract", "print-function", "print-size", "print-stats", "query-extract"})


@dataclass(frozen=True)
class Signature:
    """How an operation is declared: the numbers of its operands, attributes, regions and result types."""

    operands: int
    attributes: int
    regions: int
    types: int


@dataclass
class Rules:
    """Rule files, translated. `texts` are egglog with their file names; `costs` are per node of a constructor."""

    texts: tuple[tuple[str, str], ...] = ()
    operations: dict[str, Signature] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    enums: dict[str, frozenset[str]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    schedule: Schedule = ("seq",)


def load(paths: Iterable[Path]) -> Rules:
    """Rule files from disk, as one set of rules; `RuleError` names the file and line of what is wrong."""
    return translate((rule_text(path), str(path)) for path in paths)


def translate(files: Iterable[tuple[str, str]]) -> Rules:
    """Texts of rule files, each with its name, as egglog of today; what a file declares again stays as it was."""
    translator = _Translator()
    for text, filename in files:
        translator.read(text, filename)
    return translator.rules


def prelude_names() -> frozenset[str]:
    """The sorts and constructors that every rule file finds declared."""
    found = set()
    for form in read(PRELUDE, "prelude"):
        assert isinstance(form, Form)
        found.add(form.items[1].text if isinstance(form.items[1], Atom) else "")
        found |= {v.head for v in form.items[2:] if form.head == "datatype" and isinstance(v, Form)}
    return frozenset(found)


class _Translator:
    def __init__(self) -> None:
        self.rules = Rules()
        self.filename = ""
        self.known = set(prelude_names())
        self.terms = set(_TERMS)
        self.constructors = {"type-of"}
        self.facts: set[str] = set()
        self.datatypes: dict[str, frozenset[str]] = {}
        self.globals: dict[str, str] = {}
        self.line = 1
        self.out: list[str] = []
        self.commands: dict[str, Callable[[Form], None]] = {
            "include": self._include,
            "sort": self._sort,
            "datatype": self._datatype,
            "function": self._function,
            "constructor": self._function,
            "relation": self._relation,
            "ruleset": self._write,
            "unstable-combined-ruleset": self._write,
            "rewrite": self._rule,
            "birewrite": self._rule,
            "rule": self._rule,
            "let": self._let,
            "run-schedule": self._run_schedule,
            "run": lambda f: self._schedule(f),
        }

    def read(self, text: str, filename: str) -> None:
        """Translate one more file."""
        self.filename, self.line, self.out = filename, 1, []
        for form in read(text, filename):
            if not isinstance(form, Form):
                raise self._error(form, f"'{form.text}' outside of parentheses")
            if form.head in _IGNORED:
                continue
            if form.head in _ACTIONS or form.head in self.facts or form.head in self.constructors:
                self._write(self._renamed(form))
                continue
            if form.head not in self.commands:
                raise self._error(form, f"unknown command '{form.head or show(form)}'")
            if form.head not in _DECLARE or self._first(form):
                self.commands[form.head](form)
        self.rules.texts = (*self.rules.texts, ("".join(self.out), filename))

    def _first(self, form: Form) -> bool:
        """True if what a form declares is not known yet."""
        name = self._symbol(form)
        new = name not in self.known
        self.known.add(name)
        return new

    def _error(self, at: Sexpr, what: str) -> RuleError:
        return RuleError(self.filename, at.line, what)

    # ---- output that keeps its lines -----------------------------------------------------------

    def _write(self, expr: Sexpr) -> None:
        if isinstance(expr, Atom):
            self._token(expr.text, expr.line)
            return
        self._token("(", expr.line)
        for item in expr.items:
            self._write(item)
        self.out.append(") ")

    def _token(self, text: str, line: int) -> None:
        if line > self.line:
            self.out.append("\n" * (line - self.line))
            self.line = line
        self.out.append(f"{text} ")

    # ---- declarations --------------------------------------------------------------------------

    def _include(self, form: Form) -> None:
        name = form.items[1].text.strip('"') if len(form.items) == 2 and isinstance(form.items[1], Atom) else ""
        if Path(name).name != "base.egg":
            raise self._error(form, f"only base.egg can be included, not '{name}'")

    def _sort(self, form: Form) -> None:
        if len(form.items) == 2:
            self.terms.add(self._symbol(form))
        self._write(form)

    def _datatype(self, form: Form) -> None:
        name = self._symbol(form)
        variants = [v for v in form.items[2:] if isinstance(v, Form)]
        self.terms.add(name)
        self.constructors |= {v.head for v in variants}
        self.datatypes[name] = frozenset(v.head for v in variants if len(v.items) == 1)
        plain = tuple(Form(self._without_options(v)[0], v.line) for v in variants)
        self._write(Form((*form.items[:2], *plain), form.line))

    def _relation(self, form: Form) -> None:
        self.facts.add(self._symbol(form))
        self._write(form)

    def _function(self, form: Form) -> None:
        """A table: over terms it constructs them, over numbers it looks them up."""
        items, options = self._without_options(form)
        name = self._symbol(form)
        if len(items) != 4 or not isinstance(items[2], Form) or not isinstance(items[3], Atom):
            raise self._error(form, f"'{name}' is not declared as (function name (inputs) output)")
        inputs, output = [i.text for i in atoms(items[2])], items[3].text
        if output not in self.terms or _MERGES & set(options):
            merge = () if _MERGES & set(options) else (Atom(":no-merge", form.line),)
            self._write(Form((Atom("function", form.line), *form.items[1:], *merge), form.line))
            return
        self.constructors.add(name)
        self._write(Form((Atom("constructor", form.line), *items[1:]), form.line))
        if ":unextractable" in options:
            self.rules.hidden |= {name}
        if ":cost" in options:
            self.rules.costs[name] = float(options[":cost"])
        if output == "Op" and set(inputs) <= _COLUMNS:
            counts = [inputs.count(c) for c in ("Op", "AttrPair", "Region", "Type")]
            self.rules.operations[name] = Signature(*counts)
            self._token(f"(function {COST}{name} ({' '.join(inputs)}) i64 :merge (min old new))", form.line)
        if output == "Attr" and len(inputs) == 1 and self.datatypes.get(inputs[0]):
            self.rules.enums[name] = self.datatypes[inputs[0]]

    def _without_options(self, form: Form) -> tuple[tuple[Sexpr, ...], dict[str, str]]:
        """The items before the first `:option`, and the options with their values."""
        items = form.items
        first = next((n for n, i in enumerate(items) if isinstance(i, Atom) and i.text.startswith(":")), len(items))
        options: dict[str, str] = {}
        for n, item in enumerate(items[first:], first):
            if isinstance(item, Atom) and item.text.startswith(":"):
                following = items[n + 1] if n + 1 < len(items) else Atom("", form.line)
                options[item.text] = show(following)
        if ":cost" in options and not options[":cost"].isdigit():
            raise self._error(form, f"cost '{options[':cost']}' is no whole number")
        return items[:first], options

    def _symbol(self, form: Form) -> str:
        if len(form.items) < 2 or not isinstance(form.items[1], Atom):
            raise self._error(form, f"a name is missing after '{form.head}'")
        return show(form.items[1])

    # ---- rules ---------------------------------------------------------------------------------

    def _let(self, form: Form) -> None:
        name = self._symbol(form)
        value = self._renamed(Form(form.items[2:], form.line))
        self.globals[name] = f"${name.removeprefix('$')}"
        assert isinstance(value, Form)
        self._write(Form((form.items[0], Atom(self.globals[name], form.line), *value.items), form.line))

    def _rule(self, form: Form) -> None:
        self._write(self._renamed(form))

    def _renamed(self, expr: Sexpr) -> Sexpr:
        if isinstance(expr, Atom):
            return Atom("_" if expr.text == "?" else self.globals.get(expr.text, expr.text), expr.line)
        items = tuple(self._renamed(i) for i in expr.items)
        if expr.head == "set" and len(items) == 3 and isinstance(items[1], Form) and items[1].head in self.constructors:
            return Form((Atom("union", expr.line), *items[1:]), expr.line)
        if expr.head == "panic" and len(items) == 2:
            return Form((items[0], Atom(f'"{self._place(expr)}{show(items[1])[1:]}', expr.line)), expr.line)
        if expr.head == "unstable-cost":
            return self._cost(Form(items, expr.line))
        return Form(items, expr.line)

    def _place(self, at: Sexpr) -> str:
        """Where a rule gives up, to be put in front of what it says: the engine does not tell."""
        name = self.filename.replace("\\", "\\\\").replace('"', '\\"')
        return f"{name}:{at.line}: panic: "

    def _cost(self, form: Form) -> Form:
        node = form.items[1] if len(form.items) == 3 else None
        if not isinstance(node, Form) or node.head not in self.rules.operations:
            raise self._error(form, "unstable-cost needs an operation that was declared, and a number")
        table = Form((Atom(COST + node.head, node.line), *node.items[1:]), node.line)
        return Form((Atom("set", form.line), table, form.items[2]), form.line)

    # ---- schedule ------------------------------------------------------------------------------

    def _run_schedule(self, form: Form) -> None:
        for item in form.items[1:]:
            self._schedule(item)

    def _schedule(self, expr: Sexpr) -> None:
        self.rules.schedule = (*self.rules.schedule, self._parsed(expr))

    def _parsed(self, expr: Sexpr) -> Schedule:
        if isinstance(expr, Atom):
            return ("run", expr.text)
        rest = expr.items[1:]
        if expr.head == "run":
            return self._parsed_run(expr)
        if expr.head in ("saturate", "seq"):
            return (expr.head, *(self._parsed(r) for r in rest))
        if expr.head == "repeat" and rest and isinstance(rest[0], Atom) and rest[0].text.isdigit():
            return ("repeat", int(rest[0].text), *(self._parsed(r) for r in rest[1:]))
        raise self._error(expr, f"not a schedule: {show(expr)}")

    def _parsed_run(self, form: Form) -> Schedule:
        """`(run)`, `(run ruleset)`, `(run 5)` or `(run ruleset 5)`."""
        names = [i.text for i in form.items[1:] if isinstance(i, Atom)]
        times = [int(n) for n in names if n.isdigit()]
        ruleset = next((n for n in names if not n.isdigit()), "")
        if len(names) != len(form.items) - 1 or len(names) > 2:
            raise self._error(form, f"not a schedule: {show(form)}")
        return ("repeat", times[0], ("run", ruleset)) if times else ("run", ruleset)
