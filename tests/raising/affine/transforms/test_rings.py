"""Indices that come back to the start: remainders and quotients that have one of two values, at every length."""

from pathlib import Path

import pytest

from tests.c.gcc import needs_gcc
from tests.raising.edges import Edge, differences, raised

pytestmark = needs_gcc
A12, A6 = ("float64", (12,)), ("float64", (6, 6))
LENGTHS = tuple((n,) for n in (-2, 0, 1, 2, 3, 5))
ARRAYS = "double *restrict x, double *restrict y"


def _each(does: str) -> Edge:
    """What a loop over all `i` does."""
    return Edge(f"void f(int n, {ARRAYS}) {{ for (int i = 0; i < n; i++) {does} }}", 1, (A12, A12), LENGTHS)


WHOLE = {
    "neighbours": _each("y[i] = x[(i + n - 1) % n] - x[(i + 1) % n];"),
    "a quotient": _each("y[i] = x[i] + (i + 1) / n;"),
    "of a matrix": Edge(
        "void f(int n, double a[restrict 6][6], double b[restrict 6][6]) { for (int i = 0; i < n; i++)"
        " for (int j = 0; j < n; j++) b[i][j] = a[(i + 1) % n][j] + a[i][(j + n - 1) % n]; }",
        1, (A6, A6), LENGTHS),
}  # fmt: skip
OTHERS = {
    "stored": _each("y[(i + 1) % n] = x[i];"),
    "of two": _each("for (int j = 0; j < n; j++) y[(i + j) % n] += x[i] * j;"),
    "below zero": _each("y[i] = x[i] + (i - n) % n + (i - 1) / n;"),
    "twice its length": _each("y[i] = x[(i + 2 * n) % n];"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_and_right_at_every_length(name: str, tmp_path: Path) -> None:
    result = raised(WHOLE[name].text)
    assert result.complete, [str(r) for r in result.remarks]
    assert differences(WHOLE[name], result, tmp_path) == []


def test_right_at_every_length(tmp_path: Path) -> None:
    for edge in OTHERS.values():
        result = raised(edge.text, check="field")
        if "@f(" in result.text:  # it may stay in C
            assert differences(edge, result, tmp_path) == []
