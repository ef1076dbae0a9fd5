"""Branches that numbers below 1 take are raised as others are, and what only one side may do stays there."""

from pathlib import Path

import pytest

from raising.validate.base.verdict import Proved
from tests.c.gcc import needs_gcc
from tests.raising.edges import Edge, differences, raised

HEAD = "void f(int n, int s, int *restrict x, int *restrict y) {"
ROWS = (("int32", (8,)), ("int32", (8,)))
POINTS = tuple((n, s) for n in (-1, 0, 1, 2, 7) for s in range(-4, 5))
ADDED, TIMES = ("for (int i = 0; i < n; i++) y[i] = " + value for value in ("x[i] + (i - s);", "x[i] * (i + s);"))
RIGHT, FURTHER = ("for (int i = 0; i < n; i++) y[i] = x[i] >> " + by for by in ("s;", "(2 - s);"))
CASES = {
    "added where it is not above 0": f"if (s <= 0) {ADDED}",
    "multiplied below -1": f"if (s < -1) {TIMES}",
    "each sign has its own loop": f"if (s > 0) {TIMES} else {ADDED}",
    "shifts on one side": f"if (s > 0) {RIGHT} else {ADDED}",
    "shifts on both sides": f"if (s > 0) {RIGHT} else {FURTHER}",
}


@needs_gcc
@pytest.mark.parametrize("name", CASES)
def test_each_branch_is_raised_and_proved(name: str, tmp_path: Path) -> None:
    edge = Edge(f"{HEAD} {CASES[name]} }}", 2, ROWS, POINTS)
    result = raised(edge.text)
    assert "affine.for" not in result.text and isinstance(result.functions[0].verdict, Proved)
    assert not differences(edge, result, tmp_path)
