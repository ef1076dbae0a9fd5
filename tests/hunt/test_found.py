"""What the hunter found, each beside gcc at the sizes at which it was wrong, or broke."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from raising import RaiseOptions, raise_module
from raising.frontend.c import COptions, convert
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc

pytestmark = needs_gcc

FOUND = {
    "a counter as data, reduced where no array has its dimension": (
        "void f(int n, double a[restrict 4]) { for (int k = 0; k < n; k++) for (int j = 0; j < 4; j++) a[j] += k; }",
        (0, 1, 5),
    ),
    "bits of two counters": (
        "void f(int n, int a[restrict 6][4]) {\n"
        "  for (int k = n - 1; k >= 2; k--) for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++)\n"
        "    a[i][j] |= k & i; }",
        (0, 1, 3, 6),
    ),
    "a counter converted and negated": (
        "void f(int n, long a[restrict 8]) { for (int i = 1; i < n + 1; i++) a[i] = -(long)i; }",
        (1, 2, 7),
    ),
    "an or of some elements only": (
        "void f(int n, int a[restrict 8]) { int s = 1; for (int i = 1; i < n; i++) s |= a[i]; a[0] = s; }",
        (2, 3, 8),
    ),
    "a maximum of some elements only": (
        "void f(int n, double a[restrict 8]) {\n"
        "  double s = a[0]; for (int i = 1; i < n; i++) s = s > a[i] ? s : a[i]; a[0] = s; }",
        (2, 3, 8),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_wrong_once_is_what_gcc_computes(name: str, tmp_path: Path):
    text, sizes = FOUND[name]
    (path := tmp_path / "f.c").write_text(text)
    result = raise_module(convert(text, "f.c", COptions()).mlir, options=RaiseOptions(check="proof", cache=False))
    assert not [r.why for r in result.remarks if "internal" in r.why]
    beside, kind = Beside(Library(path, {}), result.text, "f"), _element(text)
    shape = (6, 4) if "6][4]" in text else (4,) if "[restrict 4]" in text else (8,)
    for n in sizes:
        values = np.random.default_rng(n).integers(-9, 9, shape).astype(kind)
        assert not beside.difference([np.int32(n), values])


def _element(text: str) -> str:
    given = text[text.index("(") : text.index(")")]
    return next(kind for word, kind in (("double a", "f8"), ("long a", "i8"), ("int a", "i4")) if word in given)
