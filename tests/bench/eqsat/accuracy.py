"""Errors of floats before and after: `python -m tests.bench.eqsat.accuracy` writes results/accuracy.json.

The subjects are those of the chapter on evaluating functions in R. W. Hamming, Numerical Methods for Scientists and
Engineers (1973): differences of roots, of functions at near points, quadratic equations, quotients of small numbers.
Each is measured on floats of its range, all alike: the mean error in bits of the expression as written and of the form
that was found, at other points than those of the search, and the seconds that it took.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from raising.eqsat.accuracy.floats import Range
from raising.eqsat.accuracy.improve import improve
from raising.eqsat.ruleset.expression import parse, variables
from tests.bench.record import write

COMMAND = "python -m tests.bench.eqsat.accuracy"
GOOD = 2.0  # bits

_WIDE, _TURN, _UNIT = Range(-1e30, 1e30), Range(-1e10, 1e10), Range(-1.0, 1.0)
_POSITIVE = Range(0.0, 1e300)
_QUADRATIC = {"a": Range(1e-50, 1e50), "b": Range(-1e50, 1e50), "c": Range(1e-50, 1e50)}

EXPRESSIONS: dict[str, tuple[str, Range | dict[str, Range]]] = {
    "roots of neighbours": ("sqrt(x + 1) - sqrt(x)", _POSITIVE),
    "inverse roots of neighbours": ("1 / sqrt(x) - 1 / sqrt(x + 1)", _POSITIVE),
    "cube roots of neighbours": ("cbrt(x + 1) - cbrt(x)", _WIDE),
    "n-th roots of neighbours": (
        "powf(x + 1, 1 / n) - powf(x, 1 / n)",
        {"x": Range(1e-30, 1e30), "n": Range(1.0, 1e6)},
    ),
    "inverses of neighbours": ("1 / (x + 1) - 1 / x", _WIDE),
    "second difference of the inverse": ("1 / (x + 1) - 2 / x + 1 / (x - 1)", _WIDE),
    "sines of near angles": ("sin(x + e) - sin(x)", _TURN),
    "cosines of near angles": ("cos(x + e) - cos(x)", _TURN),
    "tangents of near angles": ("tan(x + e) - tan(x)", _TURN),
    "angles of neighbours": ("atan(n + 1) - atan(n)", _WIDE),
    "logarithms of neighbours": ("log(n + 1) - log(n)", Range(1e-30, 1e300)),
    "larger of two roots": ("(-(b) + sqrt(b * b - 4 * a * c)) / (2 * a)", _QUADRATIC),
    "smaller of two roots": ("(-(b) - sqrt(b * b - 4 * a * c)) / (2 * a)", _QUADRATIC),
    "larger of two roots, halved": ("(-(b) + sqrt(b * b - a * c)) / a", _QUADRATIC),
    "smaller of two roots, halved": ("(-(b) - sqrt(b * b - a * c)) / a", _QUADRATIC),
    "one less cosine by sine": ("(1 - cos(x)) / sin(x)", _TURN),
    "one less cosine by square": ("(1 - cos(x)) / (x * x)", _WIDE),
    "sine and tangent": ("(x - sin(x)) / (x - tan(x))", _TURN),
    "inverse and cotangent": ("1 / x - cos(x) / sin(x)", Range(-1e5, 1e5)),
    "exponential less one": ("exp(x) - 1", Range(-700.0, 700.0)),
    "exponential of a product less one": ("exp(a * x) - 1", Range(-20.0, 20.0)),
    "second difference of the exponential": ("exp(x) - 2 + exp(-(x))", Range(-700.0, 700.0)),
    "exponential by itself less one": ("exp(x) / (exp(x) - 1)", Range(-700.0, 700.0)),
    "root of a quotient of exponentials": ("sqrt((exp(2 * x) - 1) / (exp(x) - 1))", Range(-300.0, 300.0)),
    "quotient of exponentials": (
        "e * (exp((a + b) * e) - 1) / ((exp(a * e) - 1) * (exp(b * e) - 1))",
        Range(1e-30, 1.0),
    ),
    "logarithm of a quotient": ("log((1 - e) / (1 + e))", _UNIT),
    "quotient of logarithms": ("log(1 - x) / log(1 + x)", _UNIT),
    "logarithm of a factorial": ("(n + 1) * log(n + 1) - n * log(n) - 1", Range(1e-30, 1e30)),
}

_ALL = dict.fromkeys("abc", _WIDE)
WIDER: dict[str, Range | dict[str, Range]] = {
    **{name: _ALL for name, (_, range_) in EXPRESSIONS.items() if range_ is _QUADRATIC},
    "n-th roots of neighbours": dict.fromkeys("xn", Range(1e-30, 1e30)),
    "quotient of exponentials": _UNIT,
}
"""Ranges over which squares and products of the samples leave the floats, or all digits are lost: measured as well."""


def row(name: str, text: str, range_: Range | dict[str, Range]) -> dict[str, Any]:
    """One expression measured."""
    expr = parse(text)
    began = time.monotonic()
    found = improve(expr, range_, np.dtype(np.float64))
    seconds = time.monotonic() - began
    ranges = range_ if isinstance(range_, dict) else dict.fromkeys(variables(expr), range_)
    about = {"name": name, "expression": text, "ranges": {n: str(r) for n, r in ranges.items()}}
    if found is None:
        return about
    measured = {"before": round(found.before, 2), "after": round(found.form.error, 2), "points": found.points}
    return {**about, **measured, "form": str(found.form), "seconds": round(seconds, 1)}


def _good(rows: list[dict[str, Any]]) -> int:
    return sum(r.get("after", 64.0) < GOOD for r in rows)


def main() -> int:
    """Measure all, and write the record."""
    rows = []
    for name, (text, range_) in EXPRESSIONS.items():
        rows.append(row(name, text, range_))
        print(rows[-1])
    wider = []
    for name, range_ in WIDER.items():
        wider.append(row(name, EXPRESSIONS[name][0], range_) | {"wider": True})
        print(wider[-1])
    everything = [*rows, *wider]
    summary = {
        "expressions": len(rows),
        f"below {GOOD:g} bits": _good(rows),
        "over wider ranges": len(wider),
        f"of these below {GOOD:g} bits": _good(wider),
        "worse than before": sum(r.get("after", 0.0) > r.get("before", 0.0) for r in everything),
        "longest seconds": max(r.get("seconds", 0.0) for r in everything),
    }
    print(write("accuracy", COMMAND, everything, summary), summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
