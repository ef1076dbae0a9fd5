"""Spans of integer operations hold every result, and are not wider than the operation needs."""

import itertools
from collections.abc import Callable

import pytest

from raising.affine.ir.integer_functions import SPANS
from raising.affine.ir.spans import Span, modulo
from raising.validate.arithmetic.integers import Undefined, apply

ENDS = (-9, -4, -1, 0, 1, 3, 8)
BINARY = sorted(SPANS.keys() - {"arith.select", "arith.extsi", "arith.index_cast", "math.absi"})
TIGHT = ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.divsi", "arith.floordivsi")


def _results(function: Callable[[int, int], int], a: Span, b: Span) -> list[int]:
    found = []
    for x, y in itertools.product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)):
        try:
            found.append(function(x, y))
        except (Undefined, ZeroDivisionError):
            continue
    return found


def _spans() -> list[tuple[Span, Span]]:
    spans = [(x, y) for x in ENDS for y in ENDS if x <= y]
    return list(itertools.product(spans, spans))


@pytest.mark.parametrize("op", BINARY)
def test_every_result_is_in_the_span(op: str) -> None:
    for a, b in _spans():
        results, found = _results(lambda x, y: apply(op, [x, y], "i32"), a, b), SPANS[op](a, b)
        if found is not None and results:
            assert found[0] <= min(results) and max(results) <= found[1], (a, b)
            assert op not in TIGHT or found == (min(results), max(results)), (a, b)


def test_what_is_left_by_rounding_down() -> None:
    for a, b in _spans():
        found = modulo(a, b)
        if found is not None:
            results = _results(lambda x, y: x % y, a, b)
            assert found[0] <= min(results) and max(results) <= found[1]


def test_nothing_is_said_of_divisors_that_may_be_zero() -> None:
    assert SPANS["arith.divsi"]((0, 9), (0, 3)) is None
    assert SPANS["arith.divui"]((-1, 9), (1, 3)) is None
    assert SPANS["arith.select"]((0, 1), (2, 3), (5, 7)) == (2, 7)
