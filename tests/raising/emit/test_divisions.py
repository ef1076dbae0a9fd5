"""A division that is asked for only where the divisor is not 0 keeps the question."""

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.native.foreign_call import Compiled
from tests.raising.algebra import loops

GUARDED = {
    "b[i] ? a[i] / b[i] : 0": lambda a, b: np.where(b != 0, a / b, 0),
    "b[i] == 0 ? a[i] : a[i] / b[i]": lambda a, b: np.where(b == 0, a, a / b),
    "b[i] != 0 ? 1 / sqrt(b[i]) : 0": lambda a, b: np.where(b != 0, 1 / np.sqrt(b), 0),
}


@pytest.mark.parametrize("value", GUARDED)
def test_a_guarded_division(value: str) -> None:
    loop = f"for (int i = 0; i < n; i++) o[i] = {value};"
    text = f"double sqrt(double); void f(int n, double a[n], double b[n], double *o) {{ {loop} }}"
    result = raise_module(convert(text, "k.c", COptions()).mlir, check="field")
    assert not loops(result.text)
    a, b, o = np.array([1.0, -2.0, 3.0, 0.0]), np.array([0.0, 4.0, -0.0, 2.0]), np.zeros(4)
    Compiled(result.text, "f").call([4, a, b, o])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(o, GUARDED[value](a, b))


def test_a_form_divides_no_more_often_than_the_loops() -> None:
    text = """
void f(int n, const float *restrict a, const float *restrict w, float *restrict o) {
  for (int i = 0; i < n; i++) o[i] = a[i] * w[i] / (w[i] * w[i] + 1.0f);
}"""
    result = raise_module(convert(text, "k.c", COptions()).mlir, options=RaiseOptions(check="proof"))
    assert result.text.count("linalg.div") == 1 and type(result.functions[0].verdict).__name__ == "Proved"


DISTANCES = """
void f(int n, int m, int d, const float a[restrict n][d], const float b[restrict m][d], float o[restrict n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0;
    for (int k = 0; k < d; k++) { float t = a[i][k] - b[j][k]; s += t * t; }
    o[i][j] = s; }
}"""
PRODUCTS = """
void f(int n, int m, int d, const float a[restrict n][d], const float b[restrict d][m], const float c[restrict n][d],
  const float e[restrict d][m], float o[restrict n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0;
    for (int k = 0; k < d; k++) s += a[i][k] * b[k][j] - c[i][k] * e[k][j];
    o[i][j] = s; }
}"""


def test_squares_of_differences_are_not_multiplied_out() -> None:
    """Sums of `a a` and `b b` less those of `2 a b` have no digit left where a and b are large and near each other."""
    result = raise_module(convert(DISTANCES, "k.c", COptions()).mlir, options=RaiseOptions(check="none"))
    assert not loops(result.text) and "matmul" not in result.text
    a = (1e4 + np.arange(15).reshape(3, 5) / 8).astype(np.float32)
    b, o = a[::-1].copy(), np.zeros((3, 3), np.float32)
    Compiled(result.text, "f").call([3, 3, 5, a, b, o])
    np.testing.assert_array_equal(o, ((a[:, None, :] - b[None]) ** 2).sum(axis=2))


def test_differences_of_products_are_products() -> None:
    """Where the loops subtract terms as large, products of matrices lose no more."""
    result = raise_module(convert(PRODUCTS, "k.c", COptions()).mlir, options=RaiseOptions(check="none"))
    assert result.text.count("linalg.matmul") == 2


@pytest.mark.parametrize("choice", ["if (n <= 0) return 0;", "if (n > 0) s /= n;", "s = n > 0 ? s / n : 2;"])
def test_a_mean_that_is_asked_for_only_of_numbers_is_proved(choice: str) -> None:
    sums = "double s = 0; for (int i = 0; i < n; i++) s += a[i];"
    body = f"{choice} {sums} return s / n;" if "return" in choice else f"{sums} {choice} return s;"
    result = raise_module(convert(f"double f(int n, const double *a) {{ {body} }}", "k.c", COptions()).mlir)
    assert not loops(result.text) and type(result.functions[0].verdict).__name__ == "Proved", result.remarks
