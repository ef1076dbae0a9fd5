"""What `raise --strict-fp` writes is added in the order of the loops by every later command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raising
from raising.frontend.c import convert
from raising.optimise.optimise_module import optimise_module
from raising.validate.base.verdict import Proved
from tests.c.gcc import Library, needs_gcc

SUMS = """
float raised(int n, const float *x) { float a = 0; for (int i = 0; i < n; i++) a += x[i]; return a; }
float kept(int n, const float *x) {
  float a = 0, b = 1;
  for (int i = 0; i < n; i++) { a = a * 0.5f + x[i] * x[i] / 3.0f; b += a; }
  return b;
}
"""
TERMS = np.random.default_rng(5).standard_normal(1003).astype(np.float32) * np.float32(1e4)


def in_order(name: str) -> np.float32:
    a, b = np.float32(0), np.float32(1)
    for x in TERMS:
        a = a * np.float32(0.5) + x * x / np.float32(3.0) if name == "kept" else a + x
        b += a
    return b if name == "kept" else a


@pytest.mark.parametrize("name", ["raised", "kept"])
def test_the_order_is_kept_by_later_commands(name: str) -> None:
    loops = convert(SUMS, "sums.c").mlir
    strict = raising.raise_module(loops, strict_fp=True, check="proof").text
    assert strict.count('raise.fp = "strict"') == 2
    better = optimise_module(strict).text
    assert raising.compile(better)[name](len(TERMS), TERMS) == in_order(name)
    relaxed = raising.raise_module(loops, check="proof").text
    assert 'raise.fp = "strict"' not in relaxed
    if name == "raised":
        assert raising.compile(relaxed)[name](len(TERMS), TERMS) != in_order(name)
        assert raising.compile(relaxed, fp="strict")[name](len(TERMS), TERMS) == in_order(name)


AS_WRITTEN = {
    "lerp": "void f(int n, float t, const float *x, const float *y, float *z)"
    "{ for (int i = 0; i < n; i++) z[i] = t * x[i] + (1 - t) * y[i]; }",
    "scaled": "void f(int n, float t, const float *x, const float *y, float *z)"
    "{ for (int i = 0; i < n; i++) z[i] = 0.7f * x[i] + 0.7f * y[i]; }",
    "quotients": "void f(int n, float t, const float *x, const float *y, float *z)"
    "{ for (int i = 0; i < n; i++) z[i] = x[i] * 3 / 32768.f - y[i] / t; }",
    "taken away": "void f(int n, float t, const float *x, const float *y, float *z)"
    "{ float s = t; for (int i = 0; i < n; i++) s -= x[i] * y[i]; *z = s; }",
    "taken away in rows": "void f(int n, float t, const float *x, const float *y, float *z)"
    "{ for (int i = 0; i < 3; i++) for (int j = 0; j < n; j++) z[i] -= x[i * n + j] * y[j]; }",
}


@needs_gcc
@pytest.mark.parametrize("name", AS_WRITTEN)
def test_statements_are_raised_as_they_are_written(name: str, tmp_path: Path) -> None:
    """What the search finds first is equal, but rounds in another way: 0.7 x + 0.7 y is no 0.7 (x + y)."""
    (tmp_path / "f.c").write_text(AS_WRITTEN[name])
    result = raising.raise_module(convert(AS_WRITTEN[name], "f.c").mlir, strict_fp=True, check="proof", cache=False)
    assert result.complete and isinstance(result.functions[0].verdict, Proved)
    x, y, z = TERMS[:996], TERMS[5:337].copy(), TERMS[7:1003].copy()
    arguments: list[Any] = [np.int32(332), np.float32(0.3), x, y, z]
    (*_, expected) = Library(tmp_path / "f.c", {}).call("f", arguments)
    arguments[2] = x.reshape(3, 332) if "in rows" in name else x
    raising.compile(result.text, fp="strict")["f"](*arguments)
    np.testing.assert_array_equal(z, expected)


WINDOW = """
void window(int w, int h, const float *restrict in, float *restrict out) {
  static const float k[5][5] = {{2,4,5,4,2},{4,9,12,9,4},{5,12,15,12,5},{4,9,12,9,4},{2,4,5,4,2}};
  for (int y = 2; y < h - 2; y++) for (int x = 2; x < w - 2; x++) {
    float s = 0;
    for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) s += k[j + 2][i + 2] * in[(y + j) * w + x + i];
    out[y * w + x] = s / 159;
  }
}
"""


def test_what_is_proved_at_the_numbers_of_the_file_has_its_order_looked_at_there() -> None:
    """At another size of the window the loops do not walk along the whole table."""
    result = raising.raise_module(convert(WINDOW, "window.c").mlir, strict_fp=True, check="proof", cache=False)
    assert isinstance(result.functions[0].verdict, Proved), result.remarks
    assert "linalg.conv_2d" in result.text
