"""Attributes as fields: every required attribute is one or more sequences, integers or cases, by its kind.

What holds between fields is learnt from the instances that the verifier
accepts at small ranks, and bounds what is asked at larger ones.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product
from typing import Any

from raising.grammar.dialects.host import Host
from raising.grammar.dialects.op_signature import Attr, Op
from raising.grammar.measure.workbench import Attrs
from raising.support.record import dataclass

Value = tuple[int, ...] | int | str
Choice = tuple[Value, ...]  # one value per field


@dataclass(frozen=True)
class Field:
    """One value to choose: `dims` (a sequence of integers), `int`, or `case` (a text out of a few)."""

    attr: str
    name: str
    sort: str
    cases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Form:
    """How an attribute is written from the values of its fields."""

    attr: str
    count: int
    text: Callable[[tuple[Value, ...]], str | None]


class NoFields(Exception):
    """An attribute is of a kind for which no values are known; the message says which."""


class Fields:
    """The fields of an operation's required attributes."""

    def __init__(self, op: Op, host: Host, bound: tuple[str, ...]) -> None:
        self.host = host
        self.bound = bound
        self.fields: list[Field] = []
        self.forms: list[Form] = []
        for attr in op.required:
            self._add(attr, op.dialect)
        first = len(op.operands) - len(bound)
        for k, text in enumerate(bound):
            if "{dims}" in text:
                self._one(Field(f"#{first + k}", f"#{first + k}", "dims"), _listed)

    def _add(self, attr: Attr, dialect: str) -> None:
        values = attr.values
        if not values or self.host.attribute(values[0]) is None:  # the definition does not tell how it is printed
            values = self.host.cases(dialect, attr.kind)[1]
        array = re.fullmatch(r"Dense(I64|I32)ArrayAttr", attr.kind)
        number = re.fullmatch(r"I(64|32)Attr|IntegerAttr", attr.kind)
        if attr.kind == "BoolAttr":
            values = ("false", "true")
        if values:
            self._one(Field(attr.name, attr.name, "case", values), lambda v: str(v[0]))
        elif array:
            width = array[1].lower()
            self._one(Field(attr.name, attr.name, "dims"), lambda v: _array(width, v[0]))
        elif number:
            self._one(Field(attr.name, attr.name, "int"), lambda v: f"{v[0]} : i{number[1] or 64}")
        elif attr.kind == "ElementsAttr":
            self._one(Field(attr.name, attr.name, "dense"), lambda v: str(v[0]))
        else:
            self._struct(attr)

    def _one(self, field: Field, text: Callable[[tuple[Value, ...]], str | None]) -> None:
        self.fields.append(field)
        self.forms.append(Form(field.attr, 1, text))

    def _struct(self, attr: Attr) -> None:
        """A struct attribute, made by the `get` of its class, if all it takes are sequences of integers."""
        structs = self.host.target.structs
        made: Any = None
        for name in (attr.kind, attr.kind.removesuffix("Attr")) if structs else ():  # with the suffix it is C++'s
            made = made or getattr(importlib.import_module(structs), name, None)
        parameters = _parameters(made)
        if not parameters or any("Sequence[int]" not in kind for _, kind in parameters):
            raise NoFields(f"no values are known for attributes of kind {attr.kind} ('{attr.name}')")
        self.fields += [Field(attr.name, name, "dims") for name, _ in parameters]

        def text(values: tuple[Value, ...]) -> str | None:
            try:
                return str(made.get(*(list(v) for v in values if isinstance(v, tuple)), context=self.host.context))
            except self.host.errors:
                return None

        self.forms.append(Form(attr.name, len(parameters), text))

    def attrs(self, choice: Choice) -> Attrs | None:
        """The attributes that a choice stands for."""
        found, at = [], 0
        for form in self.forms:
            text = form.text(choice[at : at + form.count])
            at += form.count
            if text is None:
                return None
            found.append((form.attr, text))
        return tuple(found)

    @property
    def held_by_operands(self) -> bool:
        """True if an operand that has to be constant holds one of the values."""
        return any(f.attr.startswith("#") for f in self.fields)

    def open(self, element: str) -> list[str]:
        """The operations that make the constant operands, lists of numbers left open."""
        return [text.replace("{e}", element).replace("{zero}", _zero(element)) for text in self.bound]

    def split(self, attrs: Attrs, element: str) -> tuple[Attrs, tuple[str, ...]]:
        """The attributes proper, and the operations that make the constant operands."""
        values = [text for name, text in attrs if name.startswith("#")]
        made = []
        for text in self.bound:
            if "{dims}" in text:
                dims = values.pop(0)
                count = len(dims.split(",")) if dims else 0
                text = text.replace("{dims}", dims).replace("{n}", str(count))
            made.append(text.replace("{e}", element).replace("{zero}", _zero(element)))
        return tuple((n, t) for n, t in attrs if not n.startswith("#")), tuple(made)

    # ---- choices ---------------------------------------------------------------------------------

    def small(self, rank: int) -> Iterator[Choice]:
        """All choices up to a rank: sequences of distinct dimensions, integers and cases."""
        for choice in product(*(_values(f, rank) for f in self.fields)):
            if self.level(choice):
                yield choice

    def level(self, choice: Choice) -> bool:
        """True if attributes that are one sequence each are of one length; others only crash the verifier."""
        single = {form.attr for form in self.forms if form.count == 1}
        pairs = zip(self.fields, choice, strict=True)
        return len({len(v) for f, v in pairs if f.attr in single and isinstance(v, tuple)}) < 2

    def learn(self, accepted: Iterable[tuple[Choice, tuple[int, ...]]]) -> Rules:
        """The relations between fields, and between fields and operand ranks, that hold in all accepted instances."""
        seen = [([v if isinstance(v, tuple) else () for v in c], ranks) for c, ranks in accepted]
        dims = [k for k, f in enumerate(self.fields) if f.sort == "dims"]
        operands = range(len(seen[0][1])) if seen else range(0)
        pairs = [(a, b) for a in dims for b in dims if a < b]
        places = [(a, k) for a in dims for k in operands]
        return Rules(
            tuple((a, b) for a, b in pairs if all(len(c[a]) == len(c[b]) for c, _ in seen)),
            tuple((a, b) for a, b in pairs if all(not set(c[a]) & set(c[b]) for c, _ in seen)),
            tuple((a, k) for a, k in places if all(max(c[a], default=-1) < r[k] for c, r in seen)),
            tuple((a, k) for a, k in places if all(len(c[a]) == r[k] for c, r in seen)),
        )

    def larger(self, ranks: tuple[int, ...], rules: Rules, rank: int) -> Iterator[Choice]:
        """The choices at operand ranks that keep the rules; linked sequences start in ascending order."""
        partial: list[Choice] = [()]
        for k, field in enumerate(self.fields):
            values = _values(field, rank)
            partial = [(*c, v) for c in partial for v in values if rules.keep((*c, v), k, ranks)]
        yield from partial


@dataclass(frozen=True)
class Rules:
    """Relations between fields (by number) and operands (by number)."""

    same_length: tuple[tuple[int, int], ...]
    disjoint: tuple[tuple[int, int], ...]
    within: tuple[tuple[int, int], ...]
    full: tuple[tuple[int, int], ...]

    def keep(self, choice: Choice, last: int, ranks: tuple[int, ...]) -> bool:
        """True if the newest value (field `last`) keeps the rules with those before."""
        value = choice[last]
        if not isinstance(value, tuple):
            return True
        before = [v if isinstance(v, tuple) else () for v in choice]
        if any(b == last and len(before[a]) != len(value) for a, b in self.same_length):
            return False
        if any(b == last and set(before[a]) & set(value) for a, b in self.disjoint):
            return False
        if any(a == last and max(value, default=-1) >= ranks[k] for a, k in self.within):
            return False
        if any(a == last and len(value) != ranks[k] for a, k in self.full):
            return False
        leads = any(a == last for a, _ in self.same_length) and not any(b == last for _, b in self.same_length)
        return not leads or value == tuple(sorted(value))


def _values(field: Field, rank: int) -> list[Value]:
    if field.sort == "case":
        return list(field.cases)
    if field.sort == "int":
        return list(range(max(rank, 1)))
    return [p for n in range(rank + 1) for p in permutations(range(rank), n)] if field.sort == "dims" else []


def _zero(element: str) -> str:
    return "0.0" if element.startswith(("f", "bf")) else "false" if element == "i1" else "0"


def _listed(values: tuple[Value, ...]) -> str:
    assert isinstance(values[0], tuple)
    return ", ".join(map(str, values[0]))


def _array(width: str, value: Value) -> str:
    assert isinstance(value, tuple)
    return f"array<{width}: {', '.join(map(str, value))}>" if value else f"array<{width}>"


def _parameters(made: Any) -> list[tuple[str, str]]:
    """The parameters of a struct attribute's `get` with their annotations; class and context left out."""
    first = (getattr(getattr(made, "get", None), "__doc__", None) or "").split("\n")[0]
    try:
        node = ast.parse(f"def {first.rpartition(' -> ')[0]}: ...").body[0]
    except SyntaxError:
        return []
    assert isinstance(node, ast.FunctionDef)
    found = [(a.arg, ast.unparse(a.annotation) if a.annotation else "") for a in node.args.args]
    return [(name, kind) for name, kind in found if name != "cls" and "Context" not in kind]
