"""Loops that exchange pointers in each iteration, as stencils over time do: read, raised, and right at every size."""

from __future__ import annotations

import re

import numpy as np
import pytest

from raising.frontend.c import convert
from raising.pipeline import raise_module
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops, without_fallbacks

SWAP = "double *s = a; a = b; b = s;"
SOURCE = f"""
double plain(int n, int k, double *a, double *b, double *c) {{ for (int t = 0; t < k; t++) {{
  for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i + 1]) / 2; {SWAP} }} return 0; }}
double first(int n, int k, double *a, double *b, double *c) {{ double *s; for (int t = 1; t <= k; ++t) {{
  s = a; a = b; b = s; for (int i = 0; i < n; i++) b[i] = a[i] - t; }} return 0; }}
double behind(int n, int k, double *a, double *b, double *c) {{ double *p = a, *q = b; for (int t = n; t < k; t++) {{
  for (int i = 0; i < n; i++) q[i] = 2 * p[i] + t; double *s = p; p = q; q = s; }}
  double r = 0; for (int i = 0; i < n; i++) {{ c[i] = p[i]; r += q[i]; }} return r; }}
double chosen(int n, int k, double *a, double *b, double *c) {{ double *p = a, *q = b; for (int t = 0; t < k; t++) {{
  for (int i = 1; i < n - 1; i++) q[i] = (p[i - 1] + p[i + 1]) / 2 + t; double *s = p; p = q; q = s; }}
  for (int i = 0; i < n; i++) c[i] = p[i]; return 0; }}
double three(int n, int k, double *a, double *b, double *c) {{ double *s; int t; for (t = 0; t < k; t++) {{
  for (int i = 1; i < n - 1; i++) c[i] = 2 * b[i] - a[i] + (b[i - 1] - b[i + 1]) / 4; s = a; a = b; b = c; c = s; }}
  return 0; }}
double sum(int n, int k, double *a, double *b, double *c) {{ double r = 1; for (int t = 0; t < k; t++) {{
  for (int i = 0; i < n; i++) {{ b[i] = a[i] + 1; r += b[i] * t; }} {SWAP} }} return r; }}
double seven(int n, int k, double *a, double *b, double *c) {{ for (int t = 0; t < 7; t++) {{
  for (int i = 0; i < n; i++) b[i] = a[i] / 2; {SWAP} }} return 0; }}
double unsigned_(int n, int k, double *a, double *b, double *c) {{ unsigned m = k; for (unsigned t = 0; t < m; t++) {{
  for (int i = 0; i < n; i++) b[i] = a[i] / 2; {SWAP} }} return 0; }}
"""
NAMES = ("plain", "first", "behind", "chosen", "three", "sum", "seven", "unsigned_")
OTHERS = {
    "sometimes": f"for (int t = 0; t < k; t++) {{ for (int i = 0; i < n; i++) b[i] = a[i]; if (t & 1) {{ {SWAP} }} }}",
    "an end that moves": f"for (int t = 0; t < k; t++) {{ for (int i = 0; i < n; i++) b[i] = a[i]; k--; {SWAP} }}",
    "one further": "for (int t = 0; t < k; t++) { for (int i = 0; i < n; i++) b[i] = a[i]; "
    "double *s = a; a = b + 1; b = s; }",
    "the helper is asked for": "double *s = a; for (int t = 0; t < k; t++) { for (int i = 0; i < n; i++) b[i] = a[i]; "
    "s = a; a = b; b = s; } s[0] = 3;",
    "lengths that change": f"for (int t = 0; t < k; t++) {{ int m = n + t; double w[m]; "
    f"for (int i = 0; i < n; i++) {{ w[i] = a[i]; b[i] = w[i]; }} {SWAP} }}",
}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return guarded_and_gcc(SOURCE, tmp_path_factory.mktemp("exchanged"))


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
def test_as_gcc(name: str, libraries: tuple[Library, Library]) -> None:
    memory = np.random.default_rng(1).integers(-64, 64, (3, 12)) / 8
    for n, k in ((0, 0), (1, 1), (5, 0), (5, 1), (5, 2), (6, 3), (4, 7), (3, 8), (7, -1 if name != "unsigned_" else 5)):
        found = [library.call(name, [np.int32(n), np.int32(k), *memory], "float64") for library in libraries]
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


@needs_gcc
@pytest.mark.parametrize("name", ["plain", "behind", "chosen"])
def test_raised_to_a_loop_over_tensors(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    (source,) = re.findall(rf"^double {name}\(.*?\}}\n(?=double)", SOURCE, re.M | re.S)
    text = raise_module(convert(source, "k.c").mlir, check="field").text
    assert loops(without_fallbacks(text)) == ["scf.for"]
    test_as_gcc(name, guarded_and_gcc(source, tmp_path_factory.mktemp("raised"), lambda _: text))


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_what_is_no_exchange_is_not_taken_for_one(body: str) -> None:
    assert convert(f"void f(int n, int k, double *a, double *b) {{ {body} }}", "k.c").refused
