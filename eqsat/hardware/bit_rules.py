"""The rules of `rules.toml`: read, written for the engine, and the signatures of the operations in them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from raising.eqsat.egraph.sexpr import Atom, Form, Sexpr, read, show
from raising.support.record import dataclass

BOUND = 4
"""The widths at which a rule is checked, from 1, where its row says nothing."""


@dataclass(frozen=True)
class Signature:
    """The names of an operation's numbers, the widths of its operands as expressions of these, and of its result.

    An operand `r…` is a sum of which the carries are not added up, as is the result of an `open` operation.
    """

    numbers: tuple[str, ...]
    operands: tuple[str, ...]
    result: str = "w"
    open: bool = False


def _same(*operands: str, opens: bool = False) -> Signature:
    return Signature(("w",), operands, "w", opens)


SIGNATURES: dict[str, Signature] = {
    **{op: _same("w", "w") for op in ("add", "sub", "mul", "and", "or", "xor")},
    **{op: Signature(("w", "s"), ("w", "s")) for op in ("shl", "shru", "shrs")},
    **{op: Signature(("w",), ("w", "w"), "1") for op in ("eq", "slt", "sle", "ult", "ule")},
    "mux": _same("1", "w", "w"),
    "ext": Signature(("w", "n", "k"), ("k",)),
    "cat": Signature(("h", "l"), ("h", "l"), "(+ h l)"),
    "zext": Signature(("w", "k"), ("k",)),
    "sext": Signature(("w", "k"), ("k",)),
    "lsl": Signature(("w", "n"), ("w",)),
    "const": Signature(("w", "x"), ()),
    "in": Signature(("w", "n"), ()),
    **{op: _same("w", "w", opens=True) for op in ("pair", "apart", "prod")},
    **{op: _same("rw", "w", opens=True) for op in ("more", "less")},
    "minus": _same("rw", opens=True),
    "join": _same("rw", "rw", opens=True),
    "sum": _same("rw"),
}


@dataclass(frozen=True)
class Row:
    """One direction of a rule: an `id`, both sides, conditions, terms that have to be there, its set and its bound."""

    name: str
    left: Form
    right: Sexpr
    when: tuple[Form, ...]
    fits: tuple[tuple[Sexpr, Sexpr], ...]
    extra: tuple[Form, ...]
    set: str
    bound: int


@dataclass(frozen=True)
class Most:
    """The largest value of an operation, from those of its operands."""

    term: Form
    most: Sexpr


def parsed(text: str) -> Any:
    """The one expression of a text."""
    (found,) = read(text, "rules.toml")
    return found


@cache
def rows() -> tuple[Row, ...]:
    """All rules, those of both directions twice."""
    return tuple(row for entry in _data()["rule"] for row in rows_of(entry))


def rows_of(entry: dict[str, Any]) -> Iterator[Row]:
    """The directions of one entry of a table."""
    sides = parsed(entry["left"]), parsed(entry["right"])
    for n, (left, right) in enumerate((sides, sides[::-1]) if entry.get("both") else (sides,)):
        yield Row(
            entry["name"] + ("" if n == 0 else "-back"),
            left,
            right,
            tuple(map(parsed, entry.get("when", ()))),
            tuple((parsed(e), parsed(w)) for e, w in entry.get("fits", ())),
            tuple(map(parsed, entry.get("with", ()))),
            entry.get("set", "rules"),
            entry.get("bound", BOUND),
        )


@cache
def bounds() -> tuple[Most, ...]:
    """How the largest value of a net follows from those of its operands."""
    return tuple(Most(parsed(entry["term"]), parsed(entry["most"])) for entry in _data()["bound"])


@cache
def _data() -> Any:
    return tomllib.loads((Path(__file__).parent / "rules.toml").read_text())


def numbers(form: Form) -> tuple[Sexpr, ...]:
    """The numbers of an operation."""
    return form.items[1 : 1 + len(SIGNATURES[form.head].numbers)]


def operands(form: Form) -> tuple[Sexpr, ...]:
    """The operands of an operation."""
    return form.items[1 + len(SIGNATURES[form.head].numbers) :]


# ---- for the engine ------------------------------------------------------------------------------


@cache
def program() -> str:
    """Declarations and rules in egglog."""
    lines = ["(sort Bits) (sort Open) (ruleset h.rules) (ruleset h.speculate) (ruleset h.regroup) (ruleset h.most)"]
    lines.append("(function h.max (Bits) BigInt :merge (min old new))")
    for op, sign in SIGNATURES.items():
        kinds = ["BigInt" if n == "x" else "i64" for n in sign.numbers]
        kinds += ["Open" if o.startswith("r") else "Bits" for o in sign.operands]
        lines.append(f"(constructor h.{op} ({' '.join(kinds)}) {'Open' if sign.open else 'Bits'})")
    lines += [_bound(op, sign) for op, sign in SIGNATURES.items() if not sign.open]
    lines += [_most(m) for m in bounds()]
    return "\n".join(lines + [_rule(row) for row in rows()])


def _bound(op: str, sign: Signature) -> str:
    """Whatever an operation computes, it has so many bits."""
    names = [*(f"n{k}" for k in range(len(sign.numbers))), *(f"a{k}" for k in range(len(sign.operands)))]
    width = sign.result
    for k, name in enumerate(sign.numbers):
        width = width.replace(name, f"n{k}") if name in ("w", "h", "l") else width
    return f"(rule ((= e (h.{op} {' '.join(names)}))) ((set (h.max e) {_top(width)})) :ruleset h.most)"


def _top(width: str) -> str:
    return f"(- (<< (bigint 1) {width}) (bigint 1))"


def _most(m: Most) -> str:
    term = _pattern(m.term)
    known = " ".join(f"(= {_largest(n)} (h.max {n}))" for n in _maxima(m.most))
    return f"(rule ((= e {term}) {known}) ((set (h.max e) {_number(m.most)})) :ruleset h.most)"


def _rule(row: Row) -> str:
    tests: list[str] = []
    left = _pattern(row.left)
    tests += [_pattern(extra) for extra in row.extra]
    tests += [_number(w) for w in row.when]
    for expr, width in row.fits:
        tests += [f"(= {_largest(n)} (h.max {n}))" for n in _maxima(expr)]
        tests.append(f"(< {_number(expr)} (<< (bigint 1) {_number(width)}))")
    body = f"(= it.self {left}) {' '.join(dict.fromkeys(tests))}"
    return f'(rule ({body}) ((union it.self {_pattern(row.right)})) :ruleset h.{row.set} :name "{row.name}")'


def _largest(name: str) -> str:
    return f"{name}.max"


def _maxima(expr: Sexpr) -> list[str]:
    """The nets whose largest values an expression uses."""
    if isinstance(expr, Atom):
        return []
    if expr.head == "max" and len(expr.items) == 2:
        return [show(expr.items[1])]
    return list(dict.fromkeys(n for item in expr.items for n in _maxima(item)))


def _pattern(expr: Sexpr) -> str:
    if isinstance(expr, Atom):
        return expr.text
    numbers_, operands_ = map(_number, numbers(expr)), (_pattern(o) for o in operands(expr))
    return f"(h.{' '.join((expr.head, *numbers_, *operands_))})"


def _number(expr: Sexpr) -> str:
    if isinstance(expr, Atom):
        return expr.text
    if expr.head == "max" and len(expr.items) == 2:
        return _largest(show(expr.items[1]))
    if expr.head == "top":
        return _top(_number(expr.items[1]))
    return f"({' '.join(map(_number, expr.items))})"
