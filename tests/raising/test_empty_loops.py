"""Loops that may run no time at all: what is raised leaves alone what they leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from raising.validate.base.verdict import Proved
from tests.c.gcc import needs_gcc
from tests.raising.edges import Edge, differences, raised

pytestmark = needs_gcc
I4, F8 = ("int32", (4,)), ("float64", (8,))
ROWS = ("float64", (8, 4))

FIXED = {
    "a fill": Edge("void f(int n, int o[4]) { for (int i=0;i<n;i++) for (int j=0;j<4;j++) o[j] = 7; }", 1, (I4,)),
    "a last value": Edge(
        "void f(int n, double a[8], double o[1]) { for (int i=0;i<n;i++) o[0] = a[i]; }", 1, (F8, ("float64", (1,)))
    ),
    "a last row": Edge(
        "void f(int n, double a[8][4], double o[4]) { for (int i=0;i<n;i++) for (int j=0;j<4;j++) o[j] = a[i][j]; }",
        1,
        (ROWS, ("float64", (4,))),
    ),
    "any": Edge(
        "void f(int n, double a[8], int o[1]) { for (int i=0;i<n;i++) if (a[i] > 3) o[0] = 1; }",
        1,
        (F8, ("int32", (1,))),
    ),
    "all": Edge(
        "void f(int n, double a[8], int o[1]) { for (int i=0;i<n;i++) if (a[i] <= -3) o[0] = 0; }",
        1,
        (F8, ("int32", (1,))),
    ),
    "an idempotent minimum": Edge(
        "void f(int n, double a[4], double o[4]) { for (int i=0;i<n;i++) for (int j=0;j<4;j++)"
        " o[j] = o[j] < a[j] ? o[j] : a[j]; }",
        1,
        (("float64", (4,)), ("float64", (4,))),
    ),
    "an idempotent or": Edge(
        "void f(int n, int a[4], int o[4]) { for (int i=0;i<n;i++) for (int j=0;j<4;j++) o[j] |= a[j]; }", 1, (I4, I4)
    ),
    "set, then added to": Edge(
        "void f(int n, double a[4], double o[1]) {"
        " for (int i=0;i<n;i++) { o[0] = 0; for (int j=0;j<4;j++) o[0] += a[j]; } }",
        1,
        (("float64", (4,)), ("float64", (1,))),
    ),
    "set, then overwritten": Edge(
        "void f(int n, double a[4], double o[4]) { for (int i=0;i<n;i++) {"
        " for (int j=0;j<4;j++) o[j] = 0; for (int j=0;j<4;j++) o[j] = 2*a[j]; } }",
        1,
        (("float64", (4,)), ("float64", (4,))),
    ),
    "two loops": Edge(
        "void f(int n, int m, int o[4]) { for (int i=0;i<n;i++) for (int j=0;j<m;j++) o[0] = 7; }", 2, (I4,)
    ),
    "one of two loops": Edge(
        "void f(int n, int m, int o[4]) { for (int i=0;i<n;i++) o[0] = 1; for (int j=0;j<m;j++) o[0] = 2; }", 2, (I4,)
    ),
    "from a bound to another": Edge(
        "void f(int lb, int ub, int o[8]) { for (int i=lb;i<ub;i++) o[i] = 7; }",
        2,
        (("int32", (8,)),),
        tuple((a, b) for a in (0, 1, 3, 7, 8) for b in (-1, 0, 1, 2, 7, 8)),
    ),
    "an interval that sets one": Edge(
        "void f(int lb, int ub, int o[4]) { for (int i=lb;i<ub;i++) o[0] = 7; }", 2, (I4,)
    ),
    "a triangle": Edge("void f(int n, int o[4]) { for (int i=0;i<n;i++) for (int j=0;j<i;j++) o[1] = 7; }", 1, (I4,)),
    "a triangle's last value": Edge(
        "void f(int n, double a[8], double o[1]) { for (int i=0;i<n;i++) for (int j=0;j<=i;j++) o[0] = a[j]; }",
        1,
        (F8, ("float64", (1,))),
    ),
    "downwards": Edge(
        "void f(int n, double a[8], double o[1]) { for (int i=n-1;i>=0;i--) o[0] = a[i]; }", 1, (F8, ("float64", (1,)))
    ),
    "a strict start": Edge("void f(int n, int o[4]) { for (int i=1;i<n-1;i++) o[2] = 7; }", 1, (I4,)),
    "a product": Edge(
        "void f(int n, double a[4][4], double b[4][4], double o[4][4]) { for (int t=0;t<n;t++)"
        " for (int i=0;i<4;i++) for (int j=0;j<4;j++) { o[i][j] = 0;"
        " for (int k=0;k<4;k++) o[i][j] += a[i][k]*b[k][j]; } }",
        1,
        (("float64", (4, 4)),) * 3,
    ),
    "what is computed between": Edge(
        "void f(int n, double a[4], double o[4], double p[4]) { for (int i=0;i<n;i++) for (int j=0;j<4;j++)"
        " o[j] = a[j] + 1; for (int j=0;j<4;j++) p[j] = o[j] * 2; }",
        1,
        (("float64", (4,)),) * 3,
    ),
    "a row divided": Edge(
        "void f(int p, double a[10][12]) { for (int j=0;j<12;j++) a[p][j] /= a[p][p]; }",
        1,
        (("float64", (10, 12)),),
        tuple((p,) for p in range(10)),
    ),
    "a number returned": Edge(
        "double f(int n, double a[8]) { double s = 1; for (int i=0;i<n;i++) s = a[i]; return s; }",
        1,
        (F8,),
        returns="float64",
    ),
}

OPEN = {
    "rows set": Edge(
        "void f(int n, int m, double *a, double *o) { for (int i=0;i<n;i++) for (int j=0;j<m;j++) o[i] = a[j]; }",
        2, (F8, F8)),
    "a fill of open extent": Edge(
        "void f(int n, int m, double *o) { for (int i=0;i<n;i++) for (int j=0;j<m;j++) o[i] = 3; }", 2, (F8,)),
    "sums of rows": Edge(
        "void f(int n, int m, double *a, double *o) { for (int i=0;i<n;i++) { o[i] = 0;"
        " for (int j=0;j<m;j++) o[i] += a[i*m+j]; } }", 2, (("float64", (64,)), F8)),
    "a product with rows": Edge(
        "void f(int n, int m, double A[n][m], double *x, double *o) { for (int i=0;i<n;i++) { o[i] = 0;"
        " for (int j=0;j<m;j++) o[i] += A[i][j]*x[j]; } }", 2, (("float64", (64,)), F8, F8),
        tuple((n, m) for n in (-1, 0, 1, 2, 3) for m in (1, 2, 4))),
    "minima": Edge(
        "void f(int n, int m, double *a, double *o) { for (int i=0;i<n;i++) for (int j=0;j<m;j++)"
        " o[i] = o[i] < a[j] ? o[i] : a[j]; }", 2, (F8, F8)),
    "the last of a row": Edge(
        "void f(int n, int m, double *a, double *o) { for (int i=0;i<n;i++) for (int j=0;j<m;j++)"
        " o[i] = a[i*m+j]; }", 2, (("float64", (64,)), F8)),
    "a temporary in each row": Edge(
        "void f(int n, int m, double *a, double *o) { for (int i=0;i<n;i++) { double s = 1;"
        " for (int j=0;j<m;j++) s = a[j]; o[i] = s; } }", 2, (F8, F8)),
}  # fmt: skip


STAY = (
    *("a last value", "a last row", "a triangle's last value", "downwards", "a number returned", "rows set"),
    *("the last of a row", "a temporary in each row"),
)
"""Functions for which no tensor program is found."""


@pytest.mark.parametrize("name", [*FIXED, *OPEN])
def test_it_does_what_the_loops_do_at_every_size(name: str, tmp_path: Path) -> None:
    edge = (FIXED | OPEN)[name]
    result = raised(edge.text)
    assert differences(edge, result, tmp_path) == []
    assert name in STAY or not result.functions[0].kept, [str(r) for r in result.remarks]


@pytest.mark.parametrize("target", ["stablehlo", "tosa"])
@pytest.mark.parametrize("name", FIXED)
def test_so_does_a_function_of_tensors(name: str, target: str, tmp_path: Path) -> None:
    result = raised(FIXED[name].text, target)
    assert differences(FIXED[name], result, tmp_path, target) == []


def test_what_is_proved_is_proved_for_empty_loops_too() -> None:
    verdict = raised(FIXED["a fill"].text).functions[0].verdict
    assert isinstance(verdict, Proved) and verdict.sizes is None and not verdict.assumptions
