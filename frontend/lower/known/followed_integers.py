"""Integers that are followed symbolically: conversions and operators in polynomials, in cases where it takes these."""

from __future__ import annotations

import operator
from collections.abc import Callable

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Float
from raising.frontend.lower.ir.nodes import Cond
from raising.frontend.lower.ir.polynomial import Poly, const, of
from raising.frontend.lower.ir.types import BOOL, INT, Number
from raising.frontend.lower.known.integer_domains import MAX_CASES, Case, cases_of, combined, known_in, never
from raising.frontend.lower.known.named_quotients import named_quotient
from raising.frontend.lower.known.numbers_as_data import (
    Numeric,
    cast,
    computed,
    data,
    numeric,
    operation,
    real,
    wrapped,
)
from raising.frontend.lower.known.split_loops import ask, digits
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Cases, Extremum, Formula, Sym, Truth, Value
from raising.support.source import Loc

MAX_TERMS = 64  # of a product that is followed symbolically
_RING = ("add", "sub", "mul")
_BITWISE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_DIVISIONS = ("div", "rem", "floordiv", "floormod")


def type_in(value: Numeric) -> Number:
    """The type of a number."""
    return BOOL if isinstance(value, Truth | Formula) else value.type


# ---- conversion -------------------------------------------------------------------------------------


def converted(state: State, value: Value, t: Number, loc: Loc) -> Numeric:
    """A number converted to a type."""
    number = numeric(value, loc)
    if type_in(number) == t:
        return number
    loses_sign = isinstance(number, Extremum) and t.kind == "int" and not t.signed
    if isinstance(number, Cases) or loses_sign:
        return _converted_by_cases(state, number, t, loc)
    return _converted(state, number, t, loc)


def _converted(state: State, number: Numeric, t: Number, loc: Loc) -> Numeric:
    if isinstance(number, Sym):
        kept = _symbolic(state, number, t, loc)
        if kept is not None:
            return kept
    if isinstance(number, Extremum) and t.kind == "int" and t.signed and t.width >= number.type.width:
        for form in number.forms if t.range[1] < number.type.range[1] else ():
            state.fits(form, t, loc)
        return Extremum(number.kind, number.forms, t)
    return cast(state, number, t, loc)


def _converted_by_cases(state: State, number: Numeric, t: Number, loc: Loc) -> Numeric:
    key = number.key if isinstance(number, Cases) else ""
    found = _each(state, key, lambda parts: _converted(state, parts[0], t, loc), (number,))
    if found is None:
        return _converted(state, data(state, number, loc), t, loc)
    everywhere = isinstance(number, Extremum) and all(_inside(state, form, t) for form in number.forms)
    if isinstance(number, Extremum) and everywhere and tuple(form for _, form in found.cases) == number.forms:
        return Extremum(number.kind, number.forms, t)
    return found


def _symbolic(state: State, value: Sym, t: Number, loc: Loc) -> Numeric | None:
    """The conversion of a symbolic integer that stays one, or of a constant."""
    known = value.form.constant
    if known is not None:
        if t.is_float:
            rounded = build.rounded(known, Float(t.width))
            return None if rounded is None else real(state, rounded, t, loc)
        return Sym(const(wrapped(known, t)), t)
    if t.is_float:
        return None
    if t.signed and (t.width > value.type.width or (t.width == value.type.width and value.type.signed)):
        return Sym(value.form, t)
    if t.width >= 32:  # that index arithmetic stays within its types is assumed; a sign has to be known
        natural = t.signed or not value.type.signed
        if not natural and not state.holds(value.form, "it is converted to an unsigned type", loc):
            return None
        if t.range[1] < value.type.range[1]:
            state.fits(value.form, t, loc)
        return Sym(value.form, t)
    return Sym(value.form, t) if state.trial or _inside(state, value.form, t) else None


def _inside(state: State, form: Poly, t: Number) -> bool:
    low, high = t.range
    return state.facts.proves(form - low) and state.facts.proves(const(high) - form)


# ---- operators --------------------------------------------------------------------------------------


def binary(state: State, node: ex.Binary, a: Value, b: Value, t: Number) -> Numeric:
    """`a op b` for operands of a type."""
    op, x, y = node.op, numeric(a, node.loc), numeric(b, node.loc)
    if op in ("shl", "shr") and isinstance(y, Sym) and y.form.constant is not None:
        y = converted(state, y, t, node.loc)  # how far it is shifted may be of another type
    if op == "add" and isinstance(x, Sym) and isinstance(y, Extremum):
        x, y = y, x
    apart = isinstance(y, Extremum) or (op == "mul" and isinstance(x, Extremum))
    named = (v.key for v in (x, y) if isinstance(v, Cases))
    key = next(named, "" if apart and op in _RING and cases_of(x) and cases_of(y) else None)
    if key is None:
        return _binary(state, node, x, y, t)
    found = _each(state, key, lambda parts: _binary(state, node, parts[0], parts[1], t), (x, y))
    if found is not None:
        return found
    x, y = (data(state, v, node.loc) if isinstance(v, Cases) else v for v in (x, y))
    return _binary(state, node, x, y, t)


def _binary(state: State, node: ex.Binary, a: Numeric, b: Numeric, t: Number) -> Numeric:
    if isinstance(a, Sym) and isinstance(b, Sym):
        exact = _exact(state, node, a.form, b.form, t) or _divided_in_cases(state, node.op, a.form, b.form, t)
        if exact is not None:
            return exact
    if isinstance(a, Extremum) and isinstance(b, Sym) and node.op in ("add", "sub") and t.signed:
        return Extremum(a.kind, tuple(f + b.form if node.op == "add" else f - b.form for f in a.forms), t)
    return computed(state, node.op, a, b, t, node.loc)


def _exact(state: State, node: ex.Binary, x: Poly, y: Poly, t: Number) -> Numeric | None:
    """Symbolic arithmetic; None where the result is not the integer that algebra gives."""
    op, loc = node.op, node.loc
    form = _form(state, op, x, y, t, loc)
    if form is None:
        return None
    if op == "floordiv" and state.facts.proves(x):
        state.facts = state.facts.with_forms((form,))
    if form.constant is not None:
        return Sym(const(wrapped(form.constant, t)), t)
    if node.wraps and op in ("add", "sub", "mul", "shl"):
        if t.width < INT.width and not _inside(state, form, t):
            return None  # that index arithmetic does not wrap around is assumed of no narrower type
        if not t.signed:
            half = 1 << t.width - 1
            form = of({m: (c + half) % (2 * half) - half for m, c in form.terms})
            if any(c < 0 for _, c in form.terms) and not state.holds(form, "an unsigned difference", loc):
                return None
        state.fits(form, t, loc)
    return Sym(form, t)


def _divided_in_cases(state: State, op: ex.BinaryOp, x: Poly, y: Poly, t: Number) -> Cases | None:
    """`(i + 1 + n) % n` where `i < n`: a quotient that has one of two values wherever it is asked, or its remainder."""
    if op not in _DIVISIONS or y.constant is not None:
        return None
    facts = state.facts.with_forms((y - 1,)) if state.facts.proves(y - 1) else state.facts
    for low in (0, 1, -1) if op in ("floordiv", "floormod") else (0, 1):  # others do not round down below 0
        if facts.proves(x - y * low) and facts.proves(y * (low + 2) - 1 - x):
            below, above = Cond(y * (low + 1) - 1 - x), Cond(x - y * (low + 1))
            results = [const(q) if op in ("div", "floordiv") else x - y * q for q in (low, low + 1)]
            return Cases((((below,), results[0]), ((above,), results[1])), t, "")
    return None


def _form(state: State, op: ex.BinaryOp, x: Poly, y: Poly, t: Number, loc: Loc) -> Poly | None:
    k = y.constant
    if op in ("add", "sub"):
        return x + y if op == "add" else x - y
    if op == "mul":
        return x * y if len(x.terms) * len(y.terms) <= MAX_TERMS else None
    if op in _DIVISIONS and (found := digits(state, x, y)) is not None:
        return found[op in ("rem", "floormod")]
    if op in _DIVISIONS:
        ask(state, x, y)
    if op in _DIVISIONS and (k is None or not x.is_linear or state.choices.naming):
        named = named_quotient(state, op, x, y, t, loc)
        if named is not None or k is None or not x.is_linear:
            return named
    if k is None:
        return None
    if op in ("floordiv", "floormod"):
        return None if k <= 0 else x.floordiv(k) if op == "floordiv" else x.mod(k)
    if op in ("div", "rem"):
        return _quotient(state, op, x, k, loc)
    return _of_bits(op, x, k, t)


def _of_bits(op: ex.BinaryOp, x: Poly, k: int, t: Number) -> Poly | None:
    if x.constant is not None and op in _BITWISE:
        return const(_BITWISE[op](x.constant, k))
    if op != "shl" and not x.is_linear:
        return None
    low = -k % (1 << t.width)  # of a mask that clears low bits, the first bit that it keeps
    if op == "and" and k and low & (low - 1) == 0:
        return x - x.mod(low)
    if op in ("shl", "shr"):
        return None if not 0 <= k <= 62 else x * (1 << k) if op == "shl" else x.floordiv(1 << k)
    return x.mod(k + 1) if op == "and" and k >= 0 and k & (k + 1) == 0 else None


def _quotient(state: State, op: ex.BinaryOp, x: Poly, k: int, loc: Loc) -> Poly | None:
    if k <= 0:
        return None
    if x.constant is not None:
        quotient = abs(x.constant) // k * (1 if x.constant >= 0 else -1)
        return const(quotient if op == "div" else x.constant - quotient * k)
    if not state.holds(x, "it is divided, and rounds down", loc):
        return None
    return x.floordiv(k) if op == "div" else x.mod(k)


def negative(state: State, node: ex.Unary, a: Value, t: Number) -> Numeric:
    """The negated integer."""
    if t.is_float:
        return operation(state, "arith.negf", (data(state, a, node.loc).id,), t, node.loc)
    return _minus(state, node, Sym(const(0), t), a, t)


def complement(state: State, node: ex.Unary, a: Value, t: Number) -> Numeric:
    """`~a`, which is `-a - 1`."""
    return _minus(state, node, negative(state, node, a, t), Sym(const(1), t), t)


def _minus(state: State, node: ex.Unary, a: Value, b: Value, t: Number) -> Numeric:
    sub = ex.Binary("sub", node.operand, node.operand, node.type, node.loc, node.wraps)
    return binary(state, sub, a, b, t)


def _each(state: State, key: str, compute: Callable[[list[Sym]], Numeric], values: tuple[Numeric, ...]) -> Cases | None:
    """The result in each combination of cases; None if it is data in one of them."""
    found: list[Case[Poly]] = []
    result: Number | None = None
    for conds, forms in combined([cases_of(value) for value in values]):
        if any(never(c, state.facts) for c in conds):
            continue
        with state.knowing(known_in((conds,))):
            out = compute([Sym(form, type_in(v)) for form, v in zip(forms, values, strict=True)])
        if not isinstance(out, Sym):
            return None
        found.append((conds, out.form))
        result = out.type
    return None if result is None or len(found) > MAX_CASES else Cases(tuple(found), result, key)
