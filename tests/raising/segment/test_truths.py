"""Truth values that are stored, counted and taken together over all elements."""

from __future__ import annotations

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from raising.validate.base.verdict import Proved
from tests.raising.running import execute

ALL = "int s = 1; for (int i = 0; i < 9; i++) s = s && a[0][i] > t; o[0] = s;"
ANY = "int s = 0; for (int i = 0; i < 9; i++) if (a[0][i] > t) s = 1; o[0] = s;"
NONZERO = "for (int i = 0; i < 4; i++) { o[i] = 0; for (int j = 0; j < 9; j++) o[i] |= k[i][j] != 0; }"
STORED = "for (int i = 0; i < 4; i++) o[i] = k[i][0] != 3;"
LOOP = "for (int i = 0; i < 4; i++) { o[i] = 0; for (int j = 0; j < 9; j++) if (k[i][j]) o[i] = 1; }"


def raised(body: str, target: str) -> tuple[str, RaiseResult]:
    text = convert(f"void f(double a[4][9], int k[4][9], double t, int o[4]) {{ {body} }}", "f.c", COptions()).mlir
    return text, raise_module(text, options=RaiseOptions(target=target, check="proof", cache=False))


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
@pytest.mark.parametrize("body", [ALL, ANY, NONZERO, STORED], ids=["all", "any", "nonzero", "stored"])
def test_truth_values_need_no_loop(body: str, target: str) -> None:
    _, result = raised(body, target)
    assert result.complete, result.remarks
    assert not result.functions[0].sequential
    assert isinstance(result.functions[0].verdict, Proved)


@pytest.mark.parametrize("body", [NONZERO, LOOP], ids=["bits", "branch"])
def test_a_condition_that_random_elements_always_meet_is_no_constant(body: str) -> None:
    text, result = raised(body, "linalg")
    given = [np.ones((4, 9)), np.zeros((4, 9), np.int32), np.float64(0), np.ones(4, np.int32)]
    given[1][2, 5] = 7
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_array_equal(got, wanted)
