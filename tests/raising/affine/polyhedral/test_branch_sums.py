"""Accumulations in both branches of a condition: one reduction over a selection."""

from __future__ import annotations

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved
from tests.raising.running import execute

HEAD = "void f(double a[9], double b[9], double t, double r[1]) { double s = {start}; for (int i = 0; i < 9; i++) "
BRANCHES = {
    "a sum and a difference": "if (a[i] > b[i]) s += a[i]; else s -= b[i];",
    "several steps": "if (a[i] > t) { s += a[i]; s += 2 * b[i]; s -= t; } else s -= b[i];",
    "nested": "if (a[i] > t) { if (b[i] > t) s += a[i]; else s -= b[i]; }",
    "the other operand": "if (a[i] > t) s = a[i] + s; else s = s - a[i];",
    "two products": "if (a[i] > t) s *= a[i]; else s *= b[i];",
    "a product under a condition": "if (a[i] > t) s *= b[i];",
}
OTHERS = {
    "a sum and a product": "if (a[i] > t) s += a[i]; else s *= b[i];",
    "a difference from a value": "if (a[i] > t) s += a[i]; else s = b[i] - s;",
    "a condition on the sum": "if (s > t) s += a[i]; else s -= b[i];",
}


def loops(body: str) -> str:
    """The function in MLIR."""
    text = HEAD.replace("{start}", "1" if "*=" in body else "0") + body + " r[0] = s; }"
    return convert(text, "f.c", COptions()).mlir


@pytest.mark.parametrize("body", BRANCHES.values(), ids=BRANCHES)
def test_branches_that_accumulate_need_no_loop(body: str) -> None:
    text = loops(body)
    result = raise_module(text, options=RaiseOptions(check="proof", cache=False))
    assert result.complete, result.remarks
    assert not result.functions[0].sequential
    assert isinstance(result.functions[0].verdict, Proved)
    random = np.random.default_rng(0)
    given = [random.integers(1, 4, 9).astype(float), random.integers(1, 4, 9).astype(float), np.float64(2), np.zeros(1)]
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_branches_that_do_not_keep_their_loop(body: str) -> None:
    result = raise_module(loops(body), options=RaiseOptions(check="proof", cache=False))
    assert result.functions[0].sequential or not result.complete


def test_no_selection_between_equal_values_is_left() -> None:
    text = "void f(double x[5][7], double t, double y[5]) { for (int i = 0; i < 5; i++) for (int j = 0; j < 7; j++)"
    text = convert(text + " if (x[i][j] > t) y[i] *= x[i][j]; }", "f.c", COptions()).mlir
    result = raise_module(text, options=RaiseOptions(check="proof", cache=False))
    assert result.text.count("arith.select") == 1
