"""The numbers at which a program's comparisons turn."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import lru_cache

from affine.program import Program
from grammar import number
from grammar.number import Point

_LARGEST = Fraction(sys.float_info.max)


def special_points(program: Program, element: str) -> list[Point]:
    """Numbers at which comparisons with the program's constants turn: at, beside and beyond each."""
    texts = frozenset(s.literal for s in program.scalars.values() if s.literal is not None and _finite(s.literal))
    return list(_around(texts, element))


def constant_points(program: Program, element: str) -> list[Point]:
    """The program's constants that an element type holds, and zero."""
    texts = {s.literal for s in program.scalars.values() if s.literal is not None and _finite(s.literal)}
    found = sorted({Fraction(text) for text in texts} | {Fraction(0)})
    fitting = [v for v in found if abs(v) <= _LARGEST and (not element.startswith("i") or v.denominator == 1)]
    return [number.point(v) for v in fitting]


@lru_cache(maxsize=64)
def _around(literals: frozenset[str], element: str) -> tuple[Point, ...]:
    found: dict[Fraction, None] = {}
    for c in sorted({Fraction(text) for text in literals} | {Fraction(0), Fraction(1)}):
        step = Fraction(1) if element.startswith("i") else max(abs(c), Fraction(1, 1 << 10)) / (1 << 10)
        for value in (c, c + step, c - step, -c, 2 * c, c / 2):
            if abs(value) <= _LARGEST and (not element.startswith("i") or value.denominator == 1):
                found[value] = None
    return tuple(number.point(v) for v in found)


def _finite(text: str) -> bool:
    return math.isfinite(float(text))
