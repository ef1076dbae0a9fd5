"""Loops that stay over tensors: what a condition on sizes guards is read, written or divided by only where it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from raising.validate.base.verdict import Proved
from tests.c.gcc import needs_gcc
from tests.raising.edges import Edge, differences, raised

pytestmark = needs_gcc
I4 = ("int32", (8,))
HEAD = "void f(int n, int *restrict a, int *restrict o) { for (int i=0;i<n;i++) { int s = a[i];"
SIZES = tuple((n,) for n in (-1, 0, 1, 2, 3, 8))

GUARDED = {
    "in front": Edge(
        f"{HEAD} for (int k=1;k<3;k++) if (0 <= i-k) if (a[i-k] > s) s = a[i-k]*s; o[i] = s; }} }}", 1, (I4, I4), SIZES
    ),
    "clamped": Edge(
        f"{HEAD} for (int k=-2;k<3;k++) {{ int y = i+k < 0 ? 0 : i+k >= n ? n-1 : i+k; s = (a[y] ^ s)*3; }}"
        " o[i] = s; } }",
        1,
        (I4, I4),
        SIZES,
    ),
    "at a place that is a parameter": Edge(
        "void f(int n, int p, int *restrict a, int *restrict o) { for (int i=0;i<n;i++) { int s = a[i];"
        " for (int k=0;k<5;k++) if (p >= 0) s = (a[p] ^ s)*3; o[i] = s; } }",
        2,
        (I4, I4),
        tuple((n, p) for n in (0, 1, 5) for p in (-9000000, -1, 0, 4)),
    ),
    "a divisor": Edge(
        "void f(int n, int d, int *restrict a, int *restrict o) { for (int i=0;i<n;i++) { int s = a[i];"
        " for (int k=0;k<3;k++) if (d-k > 0) s = (s / (d-k)) ^ k; o[i] = s; } }",
        2,
        (I4, I4),
        tuple((n, d) for n in (0, 1, 5) for d in (-1, 0, 1, 2, 3, 7)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GUARDED)
def test_it_is_computed_where_the_condition_holds(name: str, tmp_path: Path) -> None:
    result = raised(GUARDED[name].text)
    assert not result.functions[0].kept and "scf.for" in result.text, [str(r) for r in result.remarks]
    where = "arith.minsi" if name == "in front" else "scf.if"  # the end of the loop, or a branch
    assert where in result.text
    assert differences(GUARDED[name], result, tmp_path) == []
    verdict = result.functions[0].verdict
    assert name.startswith("at") or (isinstance(verdict, Proved) and verdict.sizes is None)


def test_a_side_that_does_no_harm_is_a_selection() -> None:
    text = (
        "void f(int n, int p, int *restrict a, int *restrict o) { for (int i=0;i<n;i++) { int s = a[i];"
        " for (int k=0;k<5;k++) { if (p >= 0) s = (a[p] ^ s)*3; else s = s*s+1; } o[i] = s; } }"
    )
    result = raised(text, check="none")
    assert result.text.count("scf.if") == 1 and "arith.select" in result.text
