"""Loops that take every d-th element, and halves: quotients of sizes that are open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.c.gcc import needs_gcc
from tests.raising.edges import Edge, differences, raised

pytestmark = needs_gcc
A24, A2 = ("float64", (24,)), ("float64", (12, 2))
LENGTHS = tuple((n,) for n in (-3, -1, 0, 1, 2, 3, 4, 5, 7, 8, 11))
HALVES = tuple((n,) for n in (0, 1, 2, 3, 6, 9))
PAIRS = tuple((n, k) for n in (-2, 0, 1, 4, 5, 8, 9) for k in (0, 1, 2, 3, 7))

WHOLE = {
    "every second": Edge(
        "double f(int n, double *x) { double s = 0; for (int i=0;i<n;i+=2) s += x[i]; return s; }",
        1, (A24,), LENGTHS, "float64"),
    "every third, from the second": Edge(
        "void f(int n, double *restrict x, double *restrict y) { for (int i=1;i<n;i+=3) y[i] = 2 * x[i]; }",
        1, (A24, A24), LENGTHS),
    "four sums": Edge(
        "double f(int n, double x[24]) { double s=0,t=0,u=0,v=0; for (int i=0;i<n-3;i+=4)"
        " { s += x[i]; t += x[i+1]; u += x[i+2]; v += x[i+3]; } return s+t+u+v; }", 1, (A24,), LENGTHS, "float64"),
    "pairs swapped": Edge(
        "void f(int n, double *a) { for (int i=0;i+1<n;i+=2) { double t=a[i]; a[i]=a[i+1]; a[i+1]=t; } }",
        1, (A24,), LENGTHS),
    "Haar": Edge(
        "void f(int n, double *restrict x, double *restrict y) { for (int i=0;i<n/2;i++)"
        " { y[i] = x[2*i] + x[2*i+1]; y[n/2+i] = x[2*i] - x[2*i+1]; } }", 1, (A24, A24), HALVES),
    "from k on": Edge(
        "void f(int n, int k, double *a) { for (int i=k;i<n;i+=2) a[i] = 7; }", 2, (A24,), PAIRS),
    "of a matrix": Edge(
        "void f(int n, int m, double a[12][2], double *o) { for (int i=0;i<n;i+=3) for (int j=0;j<m;j+=2)"
        " o[i] += a[i][j]; }", 2, (A2, A24), tuple((n, m) for n in (-1, 0, 1, 3, 4, 10) for m in (0, 1, 2))),
    "thirds": Edge(
        "void f(int n, double *restrict x, double *restrict y) { for (int i=0;i<(n+1)/3;i++) y[i] = x[n/3+i]; }",
        1, (A24, A24), HALVES),
    "reversed": Edge(
        "void f(int n, double *a) { for (int i=0;i<n/2;i++) { double t=a[i]; a[i]=a[n-1-i]; a[n-1-i]=t; } }",
        1, (A24,), HALVES),
    "its ends, apart": Edge(
        "void f(int n, double *a, double *restrict b)"
        " { for (int i=0;i<n/2;i++) { b[i] = a[n-1-i]; b[n-1-i] = a[i]; } }",
        1, (A24, A24), HALVES),
}  # fmt: skip
KEPT = {
    "from the one before": Edge(
        "void f(int n, double *a) { for (int i=1;i<n;i+=2) a[i] = a[i-1] + a[i+1]; }", 1, (A24,), LENGTHS),
    "two steps back": Edge("void f(int n, double *a) { for (int i=2;i<n;i+=2) a[i] += a[i-2]; }", 1, (A24,), LENGTHS),
    "a step that changes": Edge(
        "void f(int n, double *a) { for (int i=0;i<n;i+=2) for (int j=i;j<n;j+=3) a[j] += i; }", 1, (A24,), LENGTHS),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_whole_and_right_at_every_length(name: str, tmp_path: Path) -> None:
    result = raised(WHOLE[name].text)
    assert result.complete, [str(r) for r in result.remarks]
    assert differences(WHOLE[name], result, tmp_path) == []


@pytest.mark.parametrize("name", KEPT)
def test_right_at_every_length(name: str, tmp_path: Path) -> None:
    assert differences(KEPT[name], raised(KEPT[name].text), tmp_path) == []
