"""Quotients that are rounded down, and operators on integers where Python and NumPy say what the core leaves undefined.

NumPy's integers give 0 where they are divided by 0, and the least one divided by -1 is itself; shifted by their width
or more, all bits are gone. Python's own raise an error or grow, so those cases are undefined here.
"""

from __future__ import annotations

from collections.abc import Callable

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import BOOL, Int
from raising.frontend.lower.ir.module import Refused
from raising.frontend.python.types import Kind
from raising.support.source import Loc

Keep = Callable[[ex.Expr], ex.Expr]


def quotient(op: ex.BinaryOp, a: ex.Expr, b: ex.Expr, kind: Kind, loc: Loc, keep: Keep) -> ex.Expr:
    """`a // b` or `a % b`, rounded down, or what `np.fmod` leaves (`rem`); what is divided in any case, and never by
    0, is kept in a variable.
    """
    t = kind.core
    assert isinstance(t, Int)
    exact = isinstance(b, ex.Literal) and b.value not in (0, -1)
    if kind.weak and isinstance(b, ex.Literal) and not b.value:
        raise Refused(loc, "a division by zero")
    if exact or kind.weak and isinstance(b, ex.Literal):
        return build.binary(op, a, b, loc, wraps=False)
    zero, one, minus = (build.integer(k, t, loc) for k in (0, 1, -1 if t.signed else 0))
    by_zero, by_minus = (build.compare("eq", b, k, loc) for k in (zero, minus))
    odd = build.either(by_zero, by_minus, loc) if t.signed else by_zero
    safe = ex.Select(odd, one, b, t, loc)
    found = keep(build.binary(op, a, safe, loc, wraps=False))
    if op in ("floormod", "rem"):
        return found  # of a division by 1 nothing is left, and so it is where b is 0 or -1
    if t.signed:
        found = ex.Select(by_minus, build.unary("neg", a, loc, wraps=True), found, t, loc)
    return ex.Select(by_zero, zero, found, t, loc)


def of_floats(op: ex.BinaryOp, a: ex.Expr, b: ex.Expr, loc: Loc, keep: Keep) -> ex.Expr:
    """`a // b` or `a % b` of floats: what `fmod` leaves, moved to the side of zero where the divisor is."""
    t, zero, one = a.type, ex.Literal(0.0, a.type, loc), ex.Literal(1.0, a.type, loc)
    a, b = keep(a), keep(b)
    rest = keep(build.intrinsic("fmod", (a, b), loc))
    below, other = (build.compare("lt", v, zero, loc) for v in (rest, b))
    left = build.compare("ne", rest, zero, loc)
    turned = build.both(left, ex.Select(other, build.negated(below, loc), below, BOOL, loc), loc)
    if op == "floormod":
        moved = ex.Select(turned, build.binary("add", rest, b, loc), rest, t, loc)
        return ex.Select(left, moved, build.intrinsic("copysign", (zero, b), loc), t, loc)
    exact = keep(build.binary("div", build.binary("sub", a, rest, loc), b, loc))
    exact = keep(ex.Select(turned, build.binary("sub", exact, one, loc), exact, t, loc))
    down = keep(build.intrinsic("floor", (exact,), loc))
    above = build.compare("gt", build.binary("sub", exact, down, loc), ex.Literal(0.5, t, loc), loc)
    near = ex.Select(above, build.binary("add", down, one, loc), down, t, loc)
    plain = keep(build.binary("div", a, b, loc))
    found = ex.Select(
        build.compare("ne", exact, zero, loc), near, build.intrinsic("copysign", (zero, plain), loc), t, loc
    )
    return ex.Select(build.compare("eq", b, zero, loc), plain, found, t, loc)


def shifted(op: ex.BinaryOp, a: ex.Expr, b: ex.Expr, kind: Kind, loc: Loc) -> ex.Expr:
    """`a << b` or `a >> b`."""
    t = kind.core
    assert isinstance(t, Int)
    inside = isinstance(b, ex.Literal) and 0 <= b.value < t.width
    if kind.weak and op == "shl" and isinstance(b, ex.Literal) and not inside:
        raise Refused(loc, f"an integer that is shifted by {b.value}, and takes more than {t.width} bits")
    found = build.binary(op, a, b, loc, op == "shl" and kind.wraps)
    if inside or (kind.weak and op == "shl"):
        return found
    unsigned = Int(t.width, signed=False)
    known = build.compare("lt", build.convert(b, unsigned, loc), build.integer(t.width, unsigned, loc), loc)
    gone: ex.Expr = build.integer(0, t, loc)
    if op == "shr" and t.signed:
        gone = build.binary("shr", a, build.integer(t.width - 1, t, loc), loc, wraps=False)
    if isinstance(b, ex.Literal):
        return gone
    return ex.Select(known, found, gone, t, loc)


def absolute(a: ex.Expr, kind: Kind, loc: Loc) -> ex.Expr:
    """`abs(a)`; of the least integer of NumPy it is itself."""
    t = kind.core
    if t == BOOL or (isinstance(t, Int) and not t.signed):
        return a
    return build.intrinsic("abs", (a,), loc)
