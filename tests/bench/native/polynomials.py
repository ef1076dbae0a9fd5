"""The polynomials of `native/vector_math/coefficients.toml`: `python -m tests.bench.native.polynomials` writes it.

A function is interpolated at Chebyshev nodes, which is within a small factor of the best
polynomial of the degree (Trefethen 2013, chapter 16), by elimination in 80 decimal digits; ratios
of two polynomials likewise, from p(x) = f(x) q(x) at the nodes. Coefficients are rounded to the format.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable
from decimal import Decimal, localcontext
from math import cos, pi

from raising.support.record import dataclass
from tests.bench.record import ROOT

DIGITS = 80
_Function = Callable[[Decimal], Decimal]
_ONE = Decimal(1)
_SHIFT = Decimal("1.5")
_ROOT_TWO = Decimal(2).sqrt()


@dataclass(frozen=True)
class Fit:
    """A function to approximate on a range: degrees of numerator and denominator (0 for none), for f32 and f64.

    None for a format that does without.
    Nodes are those of Chebyshev in x, or `inverted` in 1 / (x + 3/2).
    """

    name: str
    function: _Function
    low: Decimal
    high: Decimal
    degrees: tuple[tuple[int, int] | None, tuple[int, int] | None]
    inverted: bool = False


def _sum(terms: Iterable[Decimal]) -> Decimal:
    """A series, as far as its terms matter."""
    total = Decimal(0)
    for term in terms:
        total += term
        if abs(term) < abs(total) * Decimal(10) ** -(DIGITS + 5):
            break
    return total


def _factorials(first: int, step: int, sign: int = 1) -> _Function:
    """The sum of (sign x)^k / (first + step k)!."""

    def value(x: Decimal) -> Decimal:
        def terms() -> Iterable[Decimal]:
            term, number = _ONE, 1
            for each in range(2, first + 1):
                term /= each
            number = first
            for _ in range(400):
                yield term
                term = term * x * sign
                for _ in range(step):
                    number += 1
                    term /= number

        return _sum(terms())

    return value


def _odd(x: Decimal, sign: int, first: int) -> Decimal:
    """The sum of (sign x)^k / (2 k + first)."""
    return _sum((sign * x) ** k / (2 * k + first) if k else _ONE / first for k in range(4000))


def _log(f: Decimal) -> Decimal:
    """(log(1 + f) - f) / f^2 + 1 / 2, over f."""
    return _sum((-f) ** k / (k + 3) if k else _ONE / 3 for k in range(4000))


def _arcsine(z: Decimal) -> Decimal:
    """(asin x - x) / x^3, of x^2."""

    def terms() -> Iterable[Decimal]:
        term = _ONE
        for k in range(1, 4000):
            term = term * (2 * k - 1) / (2 * k)
            yield term / (2 * k + 1) * (z ** (k - 1) if k > 1 else 1)

    return _sum(terms())


def _less_one(numbers: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    """The polynomial less 1."""
    return *numbers[:-1], numbers[-1] - 1


def _erf(z: Decimal) -> Decimal:
    """erf x / x - 1, of x^2."""

    def terms() -> Iterable[Decimal]:
        term = _ONE
        for k in range(2000):
            yield term / (2 * k + 1)
            term = -term * z / (k + 1)

    return _sum(terms()) * 2 / _circle().sqrt() - 1


def _erfcx(x: Decimal) -> Decimal:
    """exp(x^2) erfc(x), for x of at least 1/4: 1 - erf where that has digits enough, else a continued fraction."""
    if x < 5:
        with localcontext() as context:
            context.prec = DIGITS + 60
            return (1 - (_erf(x * x) + 1) * x) * (x * x).exp()
    depth = x
    for k in range(600, 0, -1):
        depth = x + Decimal(k) / 2 / depth
    return 1 / depth / _circle().sqrt()


def _circle() -> Decimal:
    """pi by Machin's formula."""
    return 4 * (4 * _arctangent(_ONE / 5) - _arctangent(_ONE / 239))


def _arctangent(x: Decimal) -> Decimal:
    return x * _odd(x * x, -1, 1)


def _tangent(z: Decimal) -> Decimal:
    """tan x / x, of x^2."""
    return _factorials(1, 2, -1)(z) / _factorials(0, 2, -1)(z)


def _exp2(x: Decimal) -> Decimal:
    """(2^x - 1) / x."""
    return _factorials(1, 1)(x * Decimal(2).ln()) * Decimal(2).ln()


def _log_over(f: Decimal) -> Decimal:
    """log(1 + f), over f."""
    return 1 - f / 2 + f * f * _log(f)


def _log2(f: Decimal) -> Decimal:
    """(log2(1 + f) / f - log2 e) / f."""
    return (_log(f) * f - _ONE / 2) / Decimal(2).ln()


def _log10(f: Decimal) -> Decimal:
    """(log10(1 + f) / f - log10 e) / f."""
    return (_log(f) * f - _ONE / 2) / Decimal(10).ln()


def _cube_root(f: Decimal) -> Decimal:
    """The root of 1 + f, less 1, over f."""
    return (((1 + f).ln() / 3).exp() - 1) / f


def fits() -> list[Fit]:
    """Every fit that the functions of this room need."""
    half, quarter = _circle() / 2, _circle() / 4
    growth = Decimal("0.3467")
    low, high = 1 / _ROOT_TWO - 1, _ROOT_TWO - 1
    ratio = ((_ROOT_TWO - 1) / (_ROOT_TWO + 1)) ** 2
    eighth = (_ROOT_TWO - 1) ** 2
    return [
        Fit("exp", _factorials(2, 1), -growth, growth, ((4, 0), (9, 0))),
        Fit("exp2", _exp2, -_ONE / 2, _ONE / 2, ((5, 0), (10, 0))),
        Fit("sinh", _factorials(3, 2), Decimal(0), growth**2, ((1, 0), (4, 0))),
        Fit("cosh", _factorials(4, 2), Decimal(0), growth**2, ((1, 0), (4, 0))),
        Fit("log2", _log2, low, high, ((7, 0), None)),
        Fit("log10", _log10, low, high, ((7, 0), None)),
        Fit("log", _log, low, high, ((8, 0), None)),
        Fit("log ratio", lambda z: 2 * _odd(z, 1, 3), Decimal(0), ratio, (None, (6, 0))),
        Fit("log quick", _log_over, low, high, ((8, 0), None)),
        Fit("log2 quick", lambda f: _log_over(f) / Decimal(2).ln(), low, high, ((8, 0), None)),
        Fit("log10 quick", lambda f: _log_over(f) / Decimal(10).ln(), low, high, ((8, 0), None)),
        Fit("log2 short", lambda z: _odd(z, 1, 1) * 2 / Decimal(2).ln(), Decimal(0), ratio, (None, (4, 0))),
        Fit("exp2 short", _exp2, -_ONE / 2, _ONE / 2, (None, (5, 0))),
        Fit("log fifth", lambda z: _odd(z, 1, 5), Decimal(0), ratio, (None, (6, 0))),
        Fit("sin", lambda z: -_factorials(3, 2, -1)(z), Decimal(0), half**2, ((3, 0), (7, 0))),
        Fit("sin short", lambda z: -_factorials(3, 2, -1)(z), Decimal(0), quarter**2, ((2, 0), (5, 0))),
        Fit("cos short", _factorials(4, 2, -1), Decimal(0), quarter**2, ((2, 0), (5, 0))),
        Fit("tan", _tangent, Decimal(0), quarter**2, ((1, 2), (3, 3))),
        Fit("atan", lambda z: -_odd(z, -1, 3), Decimal(0), eighth, ((4, 0), (11, 0))),
        Fit("asin", _arcsine, Decimal(0), _ONE / 4, ((4, 0), (11, 0))),
        Fit("cbrt", _cube_root, low, high, ((8, 0), (10, 0))),
        Fit("erf", _erf, Decimal(0), _ONE, ((6, 0), (11, 0))),
        Fit("erfcx", _erfcx, Decimal("0.45"), Decimal(28), ((4, 5), (10, 11)), inverted=True),
        Fit("erfcx short", _erfcx, Decimal("0.9"), Decimal(6), ((3, 3), (6, 7)), inverted=True),
    ]  # fmt: skip


def coefficients(fit: Fit, degrees: tuple[int, int]) -> tuple[tuple[Decimal, ...], tuple[Decimal, ...]]:
    """The coefficients of numerator and denominator (that of power 0 is 1), from the highest power to the lowest."""
    top, bottom = degrees
    count = top + bottom + 1
    low, high = (1 / (fit.high + _SHIFT), 1 / (fit.low + _SHIFT)) if fit.inverted else (fit.low, fit.high)
    places = [Decimal(cos(pi * (2 * k + 1) / (2 * count))) for k in range(count)]
    nodes = [(low + high) / 2 + (high - low) / 2 * place for place in places]
    points = [1 / node - _SHIFT for node in nodes] if fit.inverted else nodes
    rows = []
    for x in points:
        value = fit.function(x)
        rows.append([x**k if k else _ONE for k in range(top + 1)])
        rows[-1] += [-value * x**k for k in range(1, bottom + 1)] + [value]
    found = _solved(rows)
    return tuple(reversed(found[: top + 1])), (*reversed(found[top + 1 :]), _ONE)


def _solved(rows: list[list[Decimal]]) -> list[Decimal]:
    """The solution of linear equations, whose right-hand sides stand in the last column."""
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda k: abs(rows[k][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for other in range(size):
            if other != column:
                factor = rows[other][column] / rows[column][column]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[column], strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def _rounded(value: Decimal, wide: bool) -> str:
    number = float(value) if wide else struct.unpack("<f", struct.pack("<f", float(value)))[0]
    return re.sub(r"\.?0*p", "p", float.hex(number))


def _constants() -> dict[str, Decimal]:
    """Numbers that are needed more precisely than a format has them."""
    two, ten = Decimal(2).ln(), Decimal(10).ln()
    third = _ONE / 3
    return {
        "pi": _circle(),
        "ln 2": two,
        "log2 e": 1 / two,
        "2 log2 e": 2 / two,
        "log10 2": two / ten,
        "log10 e": 1 / ten,
        "third": third,
        "cbrt 2": (two * third).exp(),
        "cbrt 1/2": (-two * third).exp(),
    }


def _parts(value: Decimal, wide: bool) -> list[str]:
    """Three numbers of the format whose sum is the value as nearly as it can be."""
    found = []
    for _ in range(3):
        found.append(_rounded(value, wide))
        value -= Decimal(float.fromhex(found[-1]))
    return found


def _entries() -> Iterable[tuple[str, str, list[str]]]:
    """Name, format and numbers of all polynomials; the numerator of a ratio is less 1, which can be added exactly."""
    for fit in fits():
        for wide, element in enumerate(("f32", "f64")):
            degrees = fit.degrees[wide]
            if degrees is None:
                continue
            above, below = coefficients(fit, degrees)
            above = _less_one(above) if len(below) > 1 else above
            yield fit.name, element, [_rounded(value, bool(wide)) for value in above]
            if len(below) > 1:
                yield f"{fit.name} below", element, [_rounded(value, bool(wide)) for value in below]


def _section(name: str, entries: Iterable[tuple[str, str, list[str]]]) -> list[str]:
    lines = [f"[{name}]"]
    for key, element, numbers in entries:
        rows = [" ".join(numbers[k : k + 4]) for k in range(0, len(numbers), 4)]
        text = "\n".join(rows)
        lines.append(f'"{key} {element}" = ' + (f'"{text}"' if len(rows) == 1 else f'"""\n{text}"""'))
    return lines


_HEAD = """# Numbers that functions of vectors are computed with, made by `python -m tests.bench.native.polynomials`.
# Parts are constants in three parts; polynomials are coefficients from the highest power to the lowest.

"""


def table() -> str:
    """The text of `native/vector_math/coefficients.toml`."""
    with localcontext() as context:
        context.prec = DIGITS
        both = enumerate(("f32", "f64"))
        parts = [(name, e, _parts(x, bool(wide))) for wide, e in both for name, x in _constants().items()]
        return _HEAD + "\n".join([*_section("parts", parts), "", *_section("polynomials", _entries()), ""])


if __name__ == "__main__":
    (ROOT / "native" / "vector_math" / "coefficients.toml").write_text(table())
