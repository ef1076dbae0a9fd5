"""An expression as one fraction of polynomials in what is no sum, product or quotient, factored."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from raising.eqsat.ruleset.expression import Expr, Node, Number, Var

_MOST = 40  # terms of a polynomial


class NotRational(ValueError):
    """An expression has no such form, or too large a one."""


def one_fraction(expr: Expr) -> Expr:
    """The factored fraction; `NotRational` if there is none."""
    atoms: dict[Expr, str] = {}
    _atoms(expr, atoms)
    from flint import Ordering, fmpq_mpoly_ctx

    if not atoms:
        raise NotRational
    context = fmpq_mpoly_ctx.get(tuple(atoms.values()), Ordering.lex)
    names = dict(zip(atoms, context.gens(), strict=True))
    above, below = _fraction(expr, names, context)
    if below == 0:
        raise NotRational
    common = above.gcd(below)
    if common != 0:
        above, below = divmod(above, common)[0], divmod(below, common)[0]
    kinds = list(atoms)
    top, bottom = _product(above, kinds), _product(below, kinds)
    return top if bottom == Number(1.0) else Node("div", (top, bottom))


def _atoms(expr: Expr, found: dict[Expr, str]) -> None:
    if isinstance(expr, Number):
        return
    if isinstance(expr, Node) and expr.op in ("add", "sub", "mul", "div", "neg"):
        for arg in expr.args:
            _atoms(arg, found)
    else:
        found.setdefault(expr, f"a{len(found)}")


def _fraction(expr: Expr, names: dict[Expr, Any], context: Any) -> tuple[Any, Any]:
    from flint import fmpq

    one = context.constant(1)
    if expr in names:
        return names[expr], one
    if isinstance(expr, Number):
        number = Fraction(expr.value)
        return context.constant(fmpq(number.numerator, number.denominator)), one
    assert isinstance(expr, Node) and not isinstance(expr, Var)
    parts = [_fraction(a, names, context) for a in expr.args]
    (a, b), (c, d) = parts[0], parts[-1]
    if expr.op == "neg":
        return -a, b
    made = {
        "add": lambda: (a * d + c * b, b * d),
        "sub": lambda: (a * d - c * b, b * d),
        "mul": lambda: (a * c, b * d),
        "div": lambda: (a * d, b * c),
    }[expr.op]()
    if any(len(p.monoms()) > _MOST for p in made):
        raise NotRational
    return made


def _product(polynomial: Any, atoms: list[Expr]) -> Expr:
    if polynomial == 0:
        return Number(0.0)
    constant, factors = polynomial.factor()
    found: list[Expr] = []
    for factor, power in factors:
        found += [_sum(factor, atoms)] * int(power)
    number = float(Fraction(int(constant.p), int(constant.q)))
    if number != 1.0 or not found:
        found.insert(0, Number(number))
    product = found[0]
    for other in found[1:]:
        product = Node("mul", (product, other))
    return product


def _sum(polynomial: Any, atoms: list[Expr]) -> Expr:
    """Positive terms first, then those that are taken away."""
    total: Expr | None = None
    terms = sorted(polynomial.terms(), key=lambda term: (term[1] < 0, -sum(term[0])))
    for powers, factor in terms:
        number = float(Fraction(int(factor.p), int(factor.q)))
        parts = [a for a, p in zip(atoms, powers, strict=True) for _ in range(int(p))]
        negative = total is not None and number < 0
        number = abs(number) if negative else number
        term: Expr = Number(number) if not parts or number != 1.0 else parts.pop(0)
        for part in parts:
            term = Node("mul", (term, part))
        total = term if total is None else Node("sub" if negative else "add", (total, term))
    assert total is not None
    return total
