"""Each rule of circuits proved by z3, for all values, at every choice of widths up to its bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from raising.eqsat.egraph.sexpr import Atom, Form, Sexpr, show
from raising.eqsat.hardware.bit_rules import SIGNATURES, Most, Row, numbers, operands
from raising.eqsat.hardware.circuit import PREDICATES, Net, z3_value
from raising.support.record import dataclass

_WIDE = 64  # bits in which largest values are computed: those of a few bits never reach it
_LIMIT = 60_000  # milliseconds of one question, which takes some


class WrongRule(Exception):
    """A rule does not hold, or is not well-formed; the message says where."""


@dataclass(frozen=True)
class Checked:
    """A rule with how many choices of widths it was proved at."""

    name: str
    choices: int


def check_row(row: Row) -> Checked:
    """Prove a rule; `WrongRule` with widths and values where it does not hold, or if it applies nowhere."""
    for expr, _ in row.fits:
        if not _grows(expr):
            raise WrongRule(f"{row.name}: {show(expr)} may be smaller for larger values")
    count = 0
    for values in _choices([row.left, *row.extra], row.bound):
        if not all(number(test, values) for test in row.when):
            continue
        widths = _widths([row.left, *row.extra], values)
        if widths is not None:
            _prove(row, values, widths)
            count += 1
    if not count:
        raise WrongRule(f"{row.name}: it applies at no width up to {row.bound}")
    return Checked(row.name, count)


def check_most(most: Most, bound: int = 4) -> Checked:
    """Prove that a net is never larger than its row says, for all largest values of its operands."""
    z3, count = import_module("z3"), 0
    if not _grows(most.most):
        raise WrongRule(f"{show(most.most)} may be smaller for larger values")
    for values in _choices([most.term], bound):
        widths = _widths([most.term], values)
        if widths is None:
            continue
        nets = _variables(widths, z3)
        known = {**values, **{n: _grown(v, z3) for n, v in nets.items()}}
        told = _symbolic(most.most, known, z3)
        _ask(z3.ULE(_grown(_term(most.term, values, nets, z3), z3), told), [], f"{show(most.term)} at {values}", z3)
        count += 1
    return Checked(show(most.term), count)


def _grows(expr: Sexpr) -> bool:
    """Whether an expression is never smaller for larger nets: `-` and divisions only of numbers."""
    if isinstance(expr, Atom) or (expr.head == "max" and len(expr.items) == 2):
        return True
    nets = "max" in show(expr).replace("(max s t)", "")
    divides = expr.head == "/" and "max" not in show(expr.items[2])
    return all(map(_grows, expr.items[1:])) and (expr.head in GROW or divides or not nets)


def _choices(terms: list[Form], bound: int) -> Iterator[dict[str, int]]:
    """The numbers of patterns: widths up to the bound, places from zero, constants of each width."""
    names: dict[str, str] = {}
    for form in (f for term in terms for f in walk(term)):
        for kind, expr in zip(SIGNATURES[form.head].numbers, numbers(form), strict=True):
            if isinstance(expr, Atom) and not expr.text.isdigit():
                names.setdefault(expr.text, kind)
    widths = [n for n, kind in names.items() if kind not in "nx"]
    places = [n for n, kind in names.items() if kind == "n"]
    constants = [n for n, kind in names.items() if kind == "x"]
    for chosen in itertools.product(range(1, bound + 1), repeat=len(widths)):
        most = max(chosen, default=1)
        for more in itertools.product(range(most + 1), repeat=len(places)):
            for last in itertools.product(range(1 << most), repeat=len(constants)):
                yield dict(zip((*widths, *places, *constants), (*chosen, *more, *last), strict=True))


def _widths(terms: list[Form], values: Mapping[str, int]) -> dict[str, int] | None:
    """The widths of the nets of patterns; None where no circuit is like that."""
    found: dict[str, int] = {}
    for term in terms:
        if not _well_formed(term, dict(values), found):
            return None
    return found


def _well_formed(term: Sexpr, values: dict[str, int], found: dict[str, int]) -> bool:
    for form in walk(term):
        own = dict(zip(SIGNATURES[form.head].numbers, (number(n, values) for n in numbers(form)), strict=True))
        if not _possible(form.head, own):
            return False
        for operand, width in zip(operands(form), SIGNATURES[form.head].operands, strict=True):
            wanted = 1 if width == "1" else own[width[-1]]
            has = _result(operand, values, found, wanted)
            if has != wanted:
                return False
    return True


def _possible(op: str, own: dict[str, int]) -> bool:
    widths = [v for k, v in own.items() if k not in "nx"]
    fits = {
        "ext": lambda: own["n"] >= 0 and own["n"] + own["w"] <= own["k"],
        "zext": lambda: own["w"] >= own["k"],
        "sext": lambda: own["w"] >= own["k"],
        "lsl": lambda: 0 <= own["n"] < own["w"],
        "const": lambda: 0 <= own["x"] < 1 << own["w"],
    }
    return min(widths) > 0 and fits.get(op, lambda: True)()


def _result(term: Sexpr, values: dict[str, int], found: dict[str, int], wanted: int) -> int:
    """The width of a term; a net that is met first has that which is wanted."""
    if isinstance(term, Atom):
        return found.setdefault(term.text, wanted)
    own = dict(zip(SIGNATURES[term.head].numbers, (number(n, values) for n in numbers(term)), strict=True))
    result = SIGNATURES[term.head].result
    return 1 if result == "1" else own["h"] + own["l"] if term.head == "cat" else own[result]


def _prove(row: Row, values: dict[str, int], widths: dict[str, int]) -> None:
    z3 = import_module("z3")
    known = dict(widths)
    left = _result(row.left, values, known, 0)
    if not _well_formed(row.right, values, known) or _result(row.right, values, known, 0) != left:
        raise WrongRule(f"{row.name}: at {values} the right side is no circuit of {left} bits")
    if known.keys() != widths.keys():
        raise WrongRule(f"{row.name}: {sorted(known.keys() - widths.keys())} is not on the left")
    nets = _variables(widths, z3)
    largest = {**values, **{n: _grown(v, z3) for n, v in nets.items()}}
    # each expression grows with the largest values: where it fits with these, it fits with the values themselves
    given = [z3.ULT(_symbolic(e, largest, z3), 1 << number(w, values)) for e, w in row.fits]
    equal = _term(row.left, values, nets, z3) == _term(row.right, values, nets, z3)
    _ask(equal, given, f"{row.name} at {values}", z3)


def _variables(widths: Mapping[str, int], z3: Any) -> dict[str, Any]:
    return {n: z3.BitVec(n, w) for n, w in widths.items()}


def _grown(value: Any, z3: Any) -> Any:
    return z3.ZeroExt(_WIDE - value.size(), value)


def _symbolic(expr: Sexpr, values: Mapping[str, Any], z3: Any) -> Any:
    """An expression of largest values as a wide bit-vector."""
    if isinstance(expr, Form) and expr.head in ("min", "max") and len(expr.items) == 3:
        one, other = (_symbolic(e, values, z3) for e in expr.items[1:])
        first, second = (one, other) if expr.head == "min" else (other, one)
        return z3.If(z3.ULE(one, other), first, second)
    if isinstance(expr, Form) and expr.head == "/":
        return z3.UDiv(_symbolic(expr.items[1], values, z3), _symbolic(expr.items[2], values, z3))
    if isinstance(expr, Form) and expr.head in ("+", "*"):
        one, other = (_symbolic(e, values, z3) for e in expr.items[1:])
        return one + other if expr.head == "+" else one * other
    found = number(expr, dict(values))
    return z3.BitVecVal(found, _WIDE) if isinstance(found, int) else found


def _term(term: Sexpr, values: dict[str, int], nets: Mapping[str, Any], z3: Any) -> Any:
    """A side of a rule as a bit-vector."""
    if isinstance(term, Atom):
        return nets[term.text]
    own = dict(zip(SIGNATURES[term.head].numbers, (number(n, values) for n in numbers(term)), strict=True))
    args = [_term(o, values, nets, z3) for o in operands(term)]
    return z3_open(term.head, own, args, z3)


def z3_open(op: str, own: Mapping[str, int], args: list[Any], z3: Any) -> Any:
    """An operation of the table as a bit-vector: sums without carries are sums, too."""
    opened = {
        "pair": lambda: args[0] + args[1],
        "apart": lambda: args[0] - args[1],
        "prod": lambda: args[0] * args[1],
        "more": lambda: args[0] + args[1],
        "less": lambda: args[0] - args[1],
        "minus": lambda: -args[0],
        "join": lambda: args[0] + args[1],
        "sum": lambda: args[0],
    }
    if op in opened:
        return opened[op]()
    width = 1 if op in PREDICATES else own["h"] + own["l"] if op == "cat" else own["w"]
    value = own["x"] if op == "const" else own.get("n", 0)
    return z3_value(Net(op, width, value, ()), args, [a.size() for a in args], z3)


def _ask(claim: Any, given: list[Any], about: str, z3: Any) -> None:
    solver = z3.Solver()
    solver.set("timeout", _LIMIT)
    solver.add(*given, z3.Not(claim))
    answer = solver.check()
    if answer != z3.unsat:
        raise WrongRule(f"{about}: {solver.model() if answer == z3.sat else 'z3 does not know'}")


def walk(expr: Sexpr) -> Iterator[Form]:
    """The operations of a term, outermost first."""
    if isinstance(expr, Form) and expr.head in SIGNATURES:
        yield expr
        for operand in operands(expr):
            yield from walk(operand)


# ---- as numbers ----------------------------------------------------------------------------------

_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": lambda *a: sum(a),
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "min": min,
    "max": max,
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "bigint": lambda a: a,
    "top": lambda a: (1 << a) - 1,
}
GROW = frozenset(("+", "*", "<<", "min", "max", "bigint", "top"))
"""What is never smaller for larger operands."""


def number(expr: Sexpr, values: dict[str, Any]) -> Any:
    """An expression of numbers computed; the name of a net stands for its largest value."""
    if isinstance(expr, Atom):
        return values[expr.text] if expr.text in values else int(expr.text)
    if expr.head == "max" and len(expr.items) == 2:
        return values[show(expr.items[1])]
    return _OPERATORS[expr.head](*(number(item, values) for item in expr.items[1:]))
