"""Positions in tables have the bounds that what computes them says, so that no loop looks for them."""

import pytest

from raising.frontend.c.c_to_mlir import COptions, convert

KNOWN = {
    "bounded from above, and a magnitude": "int k = (int)(fabsf(x[i]) * 100); k = k > 250 ? 250 : k;",
    "bounded one after the other": "int k = p[i]; if (k < 0) k = 0; if (k > 255) k = 255;",
    "bounded at once": "int k = p[i] - 7; k = k < 0 ? 0 : k >= 256 ? 255 : k;",
    "the bound is compared with the number": "int k = p[i]; k = 255 < k ? 255 : k; k = 0 > k ? 0 : k;",
    "a square": "int k = (int)(x[i] * x[i]); k = k < 99 ? k : 99;",
    "a square root of a sum": "int k = (int)sqrtf(x[i] * x[i] + 3.0f); k = k > 99 ? 99 : k;",
}
UNKNOWN = {
    "bounded from above only": "int k = p[i]; k = k > 250 ? 250 : k;",
    "of either sign": "int k = (int)(x[i] * 100); k = k > 250 ? 250 : k;",
    "a product with a negative number": "int k = (int)(fabsf(x[i]) * -1.0f); k = k > 250 ? 250 : k;",
    "bounded by the wrong side": "int k = p[i]; if (k < 0) k = 0; if (k < 255) k = 255;",
    "another number is bounded": "int k = p[i], l = p[i + 1]; k = l < 0 ? 0 : k; k = k > 255 ? 255 : k;",
    "too many": "int k = p[i]; if (k < 0) k = 0; if (k > 1000000) k = 1000000;",
}


def guard(position: str) -> str:
    """The test of what is assumed of a look-up in a table, at a position `k`."""
    text = f"""#include <math.h>
    void f(int n, const float *x, const int *p, const float *t, float *o) {{
      for (int i = 0; i < n; i++) {{ {position} o[i] = t[k]; }} }}"""
    return convert(text, "k.c", COptions(guard=True)).guards


@pytest.mark.parametrize("name", KNOWN)
def test_bounds_are_known(name: str) -> None:
    found = guard(KNOWN[name])
    assert "@f.holds" in found and "affine.for" not in found


@pytest.mark.parametrize("name", UNKNOWN)
def test_other_bounds_are_looked_for(name: str) -> None:
    found = guard(UNKNOWN[name])
    assert "@f.holds" not in found or "affine.for" in found
