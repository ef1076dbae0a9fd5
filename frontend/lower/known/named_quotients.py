"""Quotients of sizes as sizes of their own: `int hs = dim / heads;` in front of loops over `hs`.

A quotient whose operands are known before the loops gets a name, which everything behind the reader takes for a
parameter: it is computed once, in front of the loops. Nothing is assumed of it that does not follow from the source: if
its operands are known to be at least 0 and 1, it is known to be rounded down.
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.lower.ir.nodes import Quotient
from raising.frontend.lower.ir.polynomial import Poly, var
from raising.frontend.lower.ir.types import Number
from raising.frontend.lower.known.state import State
from raising.support.source import Loc

_WIDE = 64


def named_quotient(state: State, op: ex.BinaryOp, x: Poly, y: Poly, t: Number, loc: Loc) -> Poly | None:
    """`x op y` of a type, for a division or its remainder; None if it is data."""
    if not state.choices.naming or not (x.names() | y.names()) <= state.facts.free or y.constant == 0:
        return None
    if x.constant is not None and y.constant is not None:
        return None  # a number
    wide = t.signed and t.width >= _WIDE
    if wide and not state.holds(y - 1, "it divides", loc):
        return None  # the least number by -1 has no quotient
    quotient = _known(state, Quotient("", x, y, _operation(op, t), loc, wide))
    return quotient if op in ("div", "floordiv") else x - quotient * y


def _operation(op: ex.BinaryOp, t: Number) -> str:
    if not t.signed:
        return "divui"
    return "divsi" if op in ("div", "rem") else "floordivsi"


def _known(state: State, wanted: Quotient) -> Poly:
    """The name of a quotient, the same for the same operands; what follows from its definition is known."""
    x, y, name = wanted.left, wanted.right, ""
    for quotient in state.quotients.values():
        if replace(quotient, name="", loc=wanted.loc) == wanted:
            name = quotient.name
    if not name:
        name = state.unique(state.declaring or "quotient")
        state.quotients[name] = replace(wanted, name=name)
    state.facts = state.facts.naming(name)
    size = var(name)
    if state.facts.proves(x) and state.facts.proves(y - 1):
        rest = x - size * y
        state.facts = state.facts.with_forms(f for f in (size, rest, y - 1 - rest) if f not in state.facts.forms)
    return size
