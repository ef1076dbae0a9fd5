"""Between which numbers affine forms stay, and results of operations on integers: the rules of `integer_functions`.

A `Span` is the least and the largest number. Results are those of exact integers: whoever asks knows why nothing wraps,
or that the span of a type is all that is known. A division that has a result does not divide by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from raising.affine.ir.affine_expr import Lin

Span = tuple[int, int]


def monotone(function: Callable[[int, int], int]) -> Callable[[Span, Span], Span]:
    """For a function whose extremes over a box are at its corners."""

    def rule(a: Span, b: Span) -> Span:
        corners = [function(x, y) for x in a for y in b]
        return min(corners), max(corners)

    return rule


def quotient(function: Callable[[int, int], int]) -> Callable[[Span, Span], Span | None]:
    """For a quotient; nothing is said of divisors that are not positive."""
    rule = monotone(function)
    return lambda a, b: rule(a, b) if b[0] > 0 else None


def unsigned(rule: Callable[[Span, Span], Span | None]) -> Callable[[Span, Span], Span | None]:
    """For an operation that reads bits without sign, of numbers that have none."""
    return lambda a, b: rule(a, b) if min(a[0], b[0]) >= 0 else None


def truncated(a: int, b: int) -> int:
    """The quotient rounded toward zero; ZeroDivisionError."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a: Span, b: Span) -> Span:
    """The span of a remainder: it has the sign of the dividend, and is no larger in magnitude."""
    most = max(abs(b[0]), abs(b[1]), 1) - 1
    return max(min(a[0], 0), -most), min(max(a[1], 0), most)


def modulo(a: Span, b: Span) -> Span | None:
    """What is left by a division that rounds down."""
    if b[0] <= 0:
        return None
    return (0, min(a[1], b[1] - 1)) if a[0] >= 0 else (0, b[1] - 1)


def common_bits(a: Span, b: Span) -> Span | None:
    """Bits that two numbers have in common are those of the one that is not negative."""
    tops = [s[1] for s in (a, b) if s[0] >= 0]
    return (0, min(tops)) if tops else None


def all_bits(a: Span, b: Span) -> Span | None:
    """Bits that one of two numbers has, which are not negative, are none above the highest."""
    return (0, (1 << max(a[1], b[1]).bit_length()) - 1) if min(a[0], b[0]) >= 0 else None


def shifted(function: Callable[[int, int], int]) -> Callable[[Span, Span], Span | None]:
    """For a shift; nothing is said where it may be by as much as a type has bits."""
    rule = monotone(function)
    return lambda a, b: rule(a, b) if b[0] >= 0 and b[1] < _BITS else None


_BITS = 64


def magnitude(a: Span) -> Span:
    """The span of an absolute value."""
    return max(0, a[0], -a[1]), max(abs(a[0]), abs(a[1]))


def either(*spans: Span) -> Span:
    """The span of a selection: that of both of its values."""
    return min(s[0] for s in spans[-2:]), max(s[1] for s in spans[-2:])


def of_form(form: Lin, known: Mapping[str, Span]) -> Span | None:
    """The span of a form from those of its names; None if one of these is not known."""
    low = high = form.const
    for atom, factor in form.terms:
        span = known.get(atom) if isinstance(atom, str) else of_form(atom.inner, known)
        if span is None:
            return None
        ends = span if isinstance(atom, str) else (span[0] // atom.divisor, span[1] // atom.divisor)
        first, last = sorted(factor * x for x in ends)
        low, high = low + first, high + last
    return low, high


def of_loop(lower: Iterable[Lin], upper: Iterable[Lin], known: Mapping[str, Span]) -> Span | None:
    """The span of a loop's variable, from the bounds of which that is known; None if there are none on one side."""
    lows, highs = ([s for f in forms if (s := of_form(f, known)) is not None] for forms in (lower, upper))
    if not lows or not highs:
        return None
    first = max(low for low, _ in lows)
    return first, max(first, min(high for _, high in highs) - 1)
