"""Elements of local arrays that are accessed at numbers only are variables."""

import numpy as np
import pytest

from raising import compile
from raising.frontend.c import convert
from raising.frontend.python import convert as read
from raising.pipeline import raise_module

BUTTERFLY = """
void f(int n, float x[4][n]) {
  float s[9], t[2][2];
  for (int i = 0; i < n; i++) {
    s[1] = x[0][i] + x[1][i];
    s[7] = x[0][i] - x[1][i];
    s[8] = x[2][i] * s[7];
    t[0][1] = s[1] + s[8];
    t[1][0] = s[1] - s[8];
    x[0][i] = t[0][1] + s[3 + 4];
    x[3][i] = t[1][0];
  }
}
"""


def test_a_butterfly_over_a_scratch_array_is_raised():
    """`s[7]` and `s[8]` fell together with others at the sizes that stood for 9 and 7; it failed its check."""
    text = convert(BUTTERFLY, "k.c").mlir
    assert "alloca" not in text
    result = raise_module(text, cache=False, check="proof")
    assert [(f.raised, f.kept) for f in result.functions] == [(1, 0)]
    given = np.random.default_rng(0).normal(size=(4, 5)).astype("float32")
    found, want = given.copy(), given.copy()
    compile(result.text, cache=False)["f"](5, found)
    first, second = want[0] + want[1], want[0] - want[1]
    want[0], want[3] = first + want[2] * second + second, first - want[2] * second
    np.testing.assert_allclose(found, want, rtol=1e-5)


STAY = {
    "a subscript that changes": "float s[4]; for (int i = 0; i < n; i++) { s[i % 4] = x[i]; s[0] += 1; y[i] = s[0]; }",
    "out of bounds": "float s[4]; for (int i = 0; i < n; i++) { if (n > 99) s[4] = 0; s[0] = x[i];"
    " y[i] = s[0] * s[0]; }",
    "a parameter": "for (int i = 0; i < n; i++) { y[0] = x[i]; y[1] = y[0] + y[2]; }",
}


@pytest.mark.parametrize("body", STAY.values(), ids=STAY)
def test_what_stays_an_array(body: str):
    text = convert(f"void f(int n, float *x, float *y) {{ {body} }}", "k.c").mlir
    assert "memref<4xf32>" in text or "memref<?xf32>" in text and "float s" not in body


def test_a_variable_of_an_element_has_a_name_of_its_own():
    body = "float s[2]; for (int s_0 = 0; s_0 < n; s_0++) { s[0] = y[s_0]; s[0] += s[0]; y[s_0] = s[0] + s_1; }"
    text = convert(f"void f(int n, float s_1, float *y) {{ {body} }}", "k.c").mlir
    assert raise_module(text, cache=False, check="field").functions[0].raised == 1
    python = "def f(x: 'float64[1]'):\n    x[1:] = x[:-1] + x[1:]\n    x[::-1] = x.copy()\n"
    raise_module(read(python, "k.py").mlir, cache=False, check="none")
