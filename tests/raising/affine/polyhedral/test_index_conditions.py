"""Sums over a vector, where its index and a parameter meet a condition: no loop, whatever the parameter is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved
from tests.c.beside import Beside
from tests.c.gcc import Library
from tests.raising.algebra import loops

SUMS = {
    "all but one": "if (j != k) s += a[j];",
    "up to one": "if (j <= k) s += a[j];",
    "one": "if (j == k) s += a[j];",
    "around one": "if (j >= k - 2 && j < k + 3) s += a[j];",
    "away from one": "if (j < k - 1 || j > k + 1) s += a[j];",
    "products": "if (j != k) s += a[j] * b[j];",
    "going on behind": "if (j == k) continue; s += a[j] * b[j];",
    "differences": "if (j < k) s -= a[j];",
}


@pytest.mark.parametrize("name", SUMS)
def test_no_loop_is_left_and_all_is_as_gcc_has_it(name: str, tmp_path: Path) -> None:
    text = f"""double f(int n, int k, const double a[restrict n], const double b[restrict n])
{{ double s = 7; for (int j = 0; j < n; j++) {{ {SUMS[name]} }} return s; }}"""
    result = raise_module(convert(text, "f.c", COptions()).mlir, options=RaiseOptions(check="proof", cache=False))
    assert not loops(result.text) and isinstance(result.functions[0].verdict, Proved), result.remarks
    (tmp_path / "k.c").write_text(text)
    beside, rng = Beside(Library(tmp_path / "k.c", {}), result.text, "f"), np.random.default_rng(0)
    for n in (0, 1, 2, 3, 17):
        a, b = (rng.integers(-9, 9, n).astype(float) for _ in range(2))
        for k in range(-4, n + 5):
            assert not beside.difference([np.int32(n), np.int32(k), a, b], "float64"), (n, k)
