"""Loops that end at the first index that meets a condition: minima, compared with gcc."""

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops

SEARCHES = {
    "return": "for (int i = 0; i < n; i++) if (a[i] > t) return i; return -1;",
    "return of a constant": "for (int i = 0; i < n; i++) if (!(a[i] <= t)) return 0; return 1;",
    "break": "int r = n; for (int i = 0; i < n; ++i) if (a[i] > t) { r = 3 * i; break; } return r;",
    "a counter that is used behind": "int i; for (i = 0; i < n; i++) if (a[i] > t) break; return i;",
    "a counter that is declared": "int i = 0; for (; i < n; i++) if (a[i] > t) break; return i;",
    "while": "int i = 0; while (i < n && a[i] <= t) i++; return i;",
    "an empty body": "int i; for (i = 0; i < n && a[i] != t; i++); return 2 * i;",
}
OTHERS = {
    "a first value": "int r = n; for (int i = 1; i < n; ++i) if (a[i] > t) { r = 3 * i; break; } return r;",
    "a first value beyond the bound": "int i; for (i = 2; i < n && a[i] != t; i++); return 2 * i;",
    "in a loop": "int s = 0; for (int k = 0; k < 3; k++) { int i = k; while (i < n && a[i] <= t) i++; s += i; }"
    " return s;",
    "two of them": "int i = 0; while (i < n && a[i] <= t) i++; int j = 0; while (j < n && a[j] > t) j++; return i - j;",
}
"""More searches, which are only read."""


@needs_gcc
@pytest.mark.parametrize("body", SEARCHES.values(), ids=SEARCHES.keys())
def test_a_search(body: str, tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(f"int f(int n, const double *a, double t) {{ {body} }}")
    module = convert(path.read_text(), "k.c", COptions())
    assert any("what the search reads behind" in a.reason for a in module.assumptions)
    result = raise_module(module.mlir, check="field")
    assert not loops(result.text)
    _compared(Beside(Library(path, {}), result.text, "f"))


@needs_gcc
@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_what_is_read_of_a_search(body: str, tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(f"int f(int n, const double *a, double t) {{ {body} }}")
    module = convert(path.read_text(), "k.c", COptions())
    assert not module.refused
    _compared(Beside(Library(path, {}), module.mlir, "f"))


def _compared(both: Beside) -> None:
    random = np.random.default_rng(0)
    for n in (0, 1, 2, 3, 7, 7, -1):
        a = random.integers(-1, 2, max(n, 1)).astype(float)
        if n == 7:
            a[random.integers(0, 7)] = np.nan
        for t in (0.0, 5.0, -5.0):
            assert not both.difference([np.int32(n), a, np.float64(t)], "int32")


STAY = {
    "a limit": "for (int i = 0; i < 60; i++) if (a[i] > t) return i; return -1;",
    "a division of integers": "for (int i = 0; i < n; i++) if (b[i] / b[0] > 1) return i; return -1;",
    "a store that it asks for": "for (int i = 0; i < n; i++) { b[i + 1] = 1; if (b[i] > t) return i; } return -1;",
    "a bound that changes": "for (int i = 0; i < n; i++) if (a[i] > t) { i = n; break; } return -1;",
    "what it found in memory": "for (int i = 0; i < n; i++) if (a[i] > t) return b[i]; return -1;",
}


@pytest.mark.parametrize("body", STAY.values(), ids=STAY.keys())
def test_what_is_no_search_stays(body: str) -> None:
    module = convert(f"int f(int n, const double *a, double t, int *b) {{ {body} }}", "k.c", COptions())
    assert module.refused and not module.functions


def test_a_search_stays_where_every_assumption_is_tested() -> None:
    text = f"int f(int n, const double *a, double t) {{ {SEARCHES['return']} }}"
    assert convert(text, "k.c", COptions(guard=True)).refused
