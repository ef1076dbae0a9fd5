"""Loops that may run no time at all: what is raised leaves alone what they leave alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.python import convert as convert_python
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved
from raising.validate.native.foreign_call import Compiled
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


IN_MLIR = {
    "a fill": "affine.store %seven, %o[%j] : memref<4xf64>",
    "a last row": "%x = affine.load %a[%i, %j] : memref<?x4xf64>\n affine.store %x, %o[%j] : memref<4xf64>",
    "a sum": """%x = affine.load %a[%i, %j] : memref<?x4xf64>
      %y = affine.load %o[%j] : memref<4xf64>
      %z = arith.addf %x, %y : f64
      affine.store %z, %o[%j] : memref<4xf64>""",
}
IN_PYTHON = {
    "a fill": "o[j] = 7.0",
    "a last row": "o[j] = a[i, j]",
    "a sum": "o[j] += a[i, j]",
}


def _mlir(body: str) -> str:
    return f"""func.func @f(%a: memref<?x4xf64>, %o: memref<4xf64>) {{
      %zero = arith.constant 0 : index
      %seven = arith.constant 7.0 : f64
      %n = memref.dim %a, %zero : memref<?x4xf64>
      affine.for %i = 0 to %n {{ affine.for %j = 0 to 4 {{ {body} }} }}
      return }}"""


def _python(body: str) -> str:
    head = 'def f(a: "float64[N, 4]", o: "float64[4]"):\n    for i in range(len(a)):\n        for j in range(4):\n'
    return convert_python(f"{head}            {body}\n", "f.py").mlir


@pytest.mark.parametrize("name", IN_MLIR)
@pytest.mark.parametrize("language", ["mlir", "python"])
def test_an_array_without_rows_is_left_alone(name: str, language: str) -> None:
    loops = _mlir(IN_MLIR[name]) if language == "mlir" else _python(IN_PYTHON[name])
    result = raise_module(loops, options=RaiseOptions(check="proof", cache=False))
    assert result.functions[0].changed
    for rows in (0, 1, 3):
        want, got = (_after(text, rows) for text in (loops, result.text))
        np.testing.assert_array_equal(want, got)


def _after(text: str, rows: int) -> np.ndarray:
    compiled, out = Compiled(text, "f"), np.arange(4.0)
    scalars = [rows] * (len(compiled.signature.arguments) - 2)
    given = np.arange(4.0 * rows).reshape(rows, 4)
    arguments = [given, out]
    passed = [arguments.pop(0) if slot.shape is not None else scalars.pop() for slot in compiled.signature.arguments]
    compiled.call(passed)
    return out
