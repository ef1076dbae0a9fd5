"""Loops that keep a largest or smallest value and its place: two minima, compared with gcc and with Python."""

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.frontend.python import convert as convert_python
from raising.pipeline import raise_module
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops

HEAD = "#include <math.h>\n#define KEEP { m = a[i]; k = i; }\n#define FROM double m = t; int\n"
BODIES = {
    "first": "double m = a[0]; int k = 0; for (int i = 1; i < n; i++) if (a[i] > m) KEEP return k;",
    "mirrored": "double m = a[0]; int k = 0; for (int i = 1; i < n; i++) if (m > a[i]) { k = i; m = a[i]; } return k;",
    "last": "FROM k = -7; for (int i = 0; i < n; ++i) if (a[i] >= m) KEEP return k;",
    "none": "FROM k = -1; for (int i = 0; i < n; i++) if (a[i] < m) KEEP return k;",
    "of two": "double m = t; int j = 9, k = 9; for (int i = 0; i < n; i++) if (a[i] < m) { m = a[i]; k = 2 * i + 1;"
    " j = 5 - i; } return 100 * j + k;",
    "pointed at": "int k = 0; for (int i = 1; i < n; i++) if (a[i] > a[k]) k = i; return k;",
    "last pointed at": "int k = 0; for (int i = 1; i < n; i++) if (a[k] >= a[i]) k = i; return k;",
    "down": "FROM k = -1; for (int i = n - 1; i >= 0; i--) if (a[i] > m) KEEP return k;",
    "last down": "FROM k = 5; for (int i = n - 1; i > 1; i--) if (a[i] <= m) KEEP return k;",
    "an open first": "FROM k = -1; for (int i = n / 2; i < n; i++) if (a[i] > m) KEEP return k;",
    "unsigned": "double m = t; unsigned k = 3; for (unsigned i = 0; i < (unsigned)n; i++) if (a[i] > m) KEEP return k;",
    "computed": "FROM k = -1; for (int i = 0; i < n; i++) { double v = fabs(a[i]) * 2 + 1; if (v > m)"
    " { m = v; k = i; } } return k;",
    "beside a sum": "double m = t, s = 0; int k = -1; for (int i = 0; i < n; i++) { s += m; if (a[i] > m)"
    " KEEP } return k + (s > 1);",
    "twice": "int s = 0; for (int p = 0; p < 3; p++) { int k = p; for (int i = p + 1; i < n; i++) if (a[i] > a[k])"
    " k = i; s = 10 * s + k; } return n > 2 ? s : -1;",
    "its place before": "FROM k = 1; for (int i = 0; i < n; i++) if (a[i] > m) { m = a[i]; k = k + i; } return k;",
    "a place that is asked": "FROM k = 0; for (int i = 0; i < n; i++) { if (a[i] > m) KEEP"
    " if (k > 2) m = m + 1; } return k;",
    "an exit": "FROM k = 0; for (int i = 0; i < n; i++) { if (a[i] > m) KEEP if (m > 1) break; } return k;",
}
NAMES = {key: f"f{number}" for number, key in enumerate(BODIES)}
TEXTS = {key: f"int {NAMES[key]}(int n, const double *a, double t) {{ {body} }}\n" for key, body in BODIES.items()}
WHOLE = ("first", "last", "pointed at", "down")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """All of them, compiled by gcc."""
    path = tmp_path_factory.mktemp("places") / "k.c"
    path.write_text(HEAD + "".join(TEXTS.values()))
    return Library(path, {})


@needs_gcc
def test_values_and_places_are_those_of_gcc(library: Library) -> None:
    for key in BODIES.keys() - {"an exit"}:
        _compared(
            Beside(library, convert(HEAD + TEXTS[key], "k.c", COptions()).mlir, NAMES[key]),
            ("nan", "nan"),
            key != "unsigned",
        )


@needs_gcc
def test_they_are_raised_whole(library: Library) -> None:
    module = convert(HEAD + "".join(TEXTS[key] for key in WHOLE), "k.c", COptions())
    result = raise_module(module.mlir, check="field")
    assert not loops(result.text)
    for key in WHOLE:
        _compared(Beside(library, result.text, NAMES[key]), ())


def _compared(both: Beside, special: tuple[str, ...], signed: bool = True) -> None:
    random = np.random.default_rng(0)
    for n in (3, 1, 4, 5, 9, 9, 9):
        a = random.integers(-2, 3, n).astype(float)
        for value in special[: n // 4]:
            a[random.integers(0, n)] = float(value)
        a[random.integers(0, n)] = -0.0
        for t in (0.0, 9.0, -9.0, *map(float, special[:1])):
            assert not both.difference([np.int32(n), a, np.float64(t)], "int32"), (n, a, t)
    for n in (0, -3) if signed else (0,):
        assert not both.difference([np.int32(n), np.ones(3), np.float64(0)], "int32")


@pytest.mark.parametrize(
    ("v", "assumed"),
    [("x[i]", 0), ("-x[i]", 0), ("x[i] - y[i]", 0), ("x[i] * x[i] + y[i] * y[i]", 1), ("sin(x[i])", 1)],
)
def test_what_is_rounded_more_than_once_is_assumed_to_be_rounded_alike(v: str, assumed: int) -> None:
    body = f"double m = 0; int k = 0; for (int i = 0; i < n; i++) if ({v} > m) {{ m = {v}; k = i; }} return k;"
    text = f"double sin(double); int f(int n, const double *x, const double *y) {{ {body} }}"
    found = convert(text, "k.c", COptions())
    assert sum("rounded alike" in a.reason for a in found.assumptions) == assumed
    guarded = convert(text, "k.c", COptions(guard=True))
    assert guarded.mlir.count("affine.for") == 2 - assumed


def test_python_has_them_too() -> None:
    text = """
def places(a: "float64[n, m]", o: "int64[n]"):
    for i in range(a.shape[0]):
        top = a[i, 0]
        best = 0
        for j in range(1, a.shape[1]):
            if a[i, j] > top:
                top = a[i, j]
                best = j
        o[i] = best
"""
    assert not loops(raise_module(convert_python(text, "k.py", None).mlir, check="field").text)
