"""The tables of terms to which no rule was applied: what the engine would say of them, without the engine.

To price a program, or to read one that no rule can change, only needs its terms, each once. The engine takes longer to
start than that takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from raising.eqsat.egraph.engine import Ref, Row, Saturated
from raising.eqsat.egraph.sexpr import Atom, Form, Sexpr, read, unquoted
from raising.eqsat.egraph.vocabulary import PRELUDE

_Signature = tuple[tuple[str, ...], str]
_VECTOR = "vec-of"


def unsaturated(declarations: Iterable[str], lets: Iterable[str]) -> Saturated:
    """The e-graph of named terms, `(let NAME TERM)`, with constructors of the vocabulary and of `declarations`."""
    known = dict(_prelude())
    for declaration in declarations:
        known |= _constructors(declaration)
    tables = _Tables(known)
    for let in lets:
        (form,) = read(let, "terms")
        assert isinstance(form, Form) and isinstance(form.items[1], Atom)
        tables.name(form.items[1].text, form.items[2])
    return Saturated(tuple(tables.rows), "saturated", 0)


class _Tables:
    """Rows, each made once, and the classes that have names."""

    def __init__(self, known: dict[str, _Signature]) -> None:
        self.known = known
        self.rows: list[Row] = []
        self.made: dict[tuple[Any, ...], Ref] = {}
        self.names: dict[str, Ref] = {}

    def name(self, name: str, term: Sexpr) -> None:
        self.names[name] = self._value(term, "")
        self.rows.append(Row(name, (), self.names[name]))

    def _value(self, term: Sexpr, sort: str) -> Any:
        """What a term stands for in a column of a sort."""
        if isinstance(term, Atom):
            return self.names[term.text] if term.text in self.names else _plain(term.text, sort)
        if term.head in (_VECTOR, "vec-empty"):
            return tuple(self._value(t, _ELEMENTS[sort]) for t in term.items[1:])
        columns, output = self.known[term.head]
        inputs = tuple(self._value(t, s) for t, s in zip(term.items[1:], columns, strict=True))
        key = (term.head, *inputs)
        if key not in self.made:
            self.made[key] = Ref(output, len(self.made))
            self.rows.append(Row(term.head, inputs, self.made[key]))
        return self.made[key]


def _plain(text: str, sort: str) -> Any:
    if sort == "i64":
        return int(text)
    return float(text) if sort == "f64" else unquoted(text)


def _constructors(text: str) -> dict[str, _Signature]:
    """The constructors that a text declares."""
    found: dict[str, _Signature] = {}
    for form in read(text, "terms"):
        assert isinstance(form, Form)
        match [(item.text if isinstance(item, Atom) else None) for item in form.items]:
            case ["constructor", str(name), None, str(output)]:
                found[name] = (_columns(form.items[2]), output)
            case ["datatype", str(output), *_]:
                for variant in form.items[2:]:
                    assert isinstance(variant, Form)
                    found[variant.head] = (_columns(Form(variant.items[1:], variant.line)), output)
    return found


def _columns(form: Sexpr) -> tuple[str, ...]:
    assert isinstance(form, Form)
    return tuple(item.text for item in form.items if isinstance(item, Atom))


@cache
def _prelude() -> dict[str, _Signature]:
    return _constructors(PRELUDE)


def _elements() -> dict[str, str]:
    """The sort of the elements of each sort of vectors."""
    vectors = (form for form in read(PRELUDE, "prelude") if isinstance(form, Form) and form.head == "sort")
    pairs = ((form.items[1], form.items[2]) for form in vectors if len(form.items) == 3)
    return {a.text: _columns(b)[1] for a, b in pairs if isinstance(a, Atom) and isinstance(b, Form)}


_ELEMENTS = _elements()
