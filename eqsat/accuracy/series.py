"""Taylor and Laurent forms of expressions of one variable at zero, with rational coefficients."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from raising.eqsat.ruleset.expression import Expr, Node, Number, Var, variables

_ORDER = 16
_TERMS = (1, 2, 3, 4, 6)
_FUNCTIONS = ("exp", "log", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "atanh", "sqrt")

Laurent = tuple[int, Any]
"""The power of the first term, and the rest as a power series whose first coefficient is not zero."""


class NoSeries(ValueError):
    """An expression has no such form at zero."""


def taylor_forms(expr: Expr) -> list[Expr]:
    """The first few terms of the series at zero, in several lengths."""
    names = variables(expr)
    if len(names) != 1:
        return []
    try:
        power, series = _series(expr)
    except (NoSeries, ZeroDivisionError, ValueError):
        return []
    terms = [(power + k, series[k]) for k in range(min(len(series), _ORDER)) if series[k] != 0]
    found = [_horner(terms[:count], Var(names[0])) for count in _TERMS if count <= len(terms)]
    return list(dict.fromkeys(found))


def _series(expr: Expr) -> Laurent:
    from flint import fmpq, fmpq_series

    if isinstance(expr, Var):
        return 1, fmpq_series([1], prec=_ORDER)
    if isinstance(expr, Number):
        number = Fraction(expr.value)
        return _led(0, fmpq_series([fmpq(number.numerator, number.denominator)], prec=_ORDER))
    parts = [_series(a) for a in expr.args]
    if expr.op in ("add", "sub"):
        return _sum(parts[0], parts[1], expr.op == "sub")
    if expr.op == "neg":
        return parts[0][0], -parts[0][1]
    if expr.op == "mul":
        return parts[0][0] + parts[1][0], parts[0][1] * parts[1][1]
    if expr.op == "div":
        if parts[1][1][0] == 0:
            raise NoSeries
        return _led(parts[0][0] - parts[1][0], parts[0][1] / parts[1][1])
    return _led(0, _function(expr.op, _whole(parts[0])))


def _function(name: str, series: Any) -> Any:
    if name == "expm1":
        return series.exp() - 1
    if name == "log1p":
        return (series + 1).log()
    if name not in _FUNCTIONS:
        raise NoSeries
    return getattr(series, name)()


def _shifted(series: Any, by: int) -> Any:
    from flint import fmpq_series

    return fmpq_series([0] * by + [series[k] for k in range(len(series))], prec=_ORDER)


def _whole(part: Laurent) -> Any:
    """A series that has no negative powers."""
    if part[0] < 0:
        raise NoSeries
    return _shifted(part[1], part[0])


def _sum(one: Laurent, other: Laurent, less: bool) -> Laurent:
    lowest = min(one[0], other[0])
    first, second = (_shifted(p[1], p[0] - lowest) for p in (one, other))
    return _led(lowest, first - second if less else first + second)


def _led(power: int, series: Any) -> Laurent:
    """Without leading zeros."""
    from flint import fmpq_series

    numbers = [series[k] for k in range(len(series))]
    zeros = next((k for k, n in enumerate(numbers) if n != 0), None)
    if zeros is None:
        return 0, fmpq_series([0], prec=_ORDER)
    return power + zeros, fmpq_series(numbers[zeros:], prec=_ORDER - zeros)


def _horner(terms: list[tuple[int, Any]], x: Expr) -> Expr:
    """`c0 x^p0 + c1 x^p1 + …` with powers factored out."""
    result: Expr | None = None
    for n in reversed(range(len(terms))):
        power, factor = terms[n]
        number: Expr = Number(float(Fraction(int(factor.p), int(factor.q))))
        result = number if result is None else Node("add", (number, result))
        gap = power - (terms[n - 1][0] if n else 0)
        result = _times_power(result, x, gap)
    assert result is not None
    return result


def _times_power(expr: Expr, x: Expr, power: int) -> Expr:
    if not power:
        return expr
    product = x
    for _ in range(abs(power) - 1):
        product = Node("mul", (product, x))
    if power < 0:
        return Node("div", (expr, product))
    return product if expr == Number(1.0) else Node("mul", (expr, product))
