"""Branches on numbers in front of loops stay, and the loops on both of their sides are raised and proved."""

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved, Unknown
from raising.validate.check import CheckOptions, check
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops, without_fallbacks
from tests.raising.running import kept

FUNCTIONS = {
    "a scale": """void f(int n, double a, double *x) {
  if (a == 1.0) return;
  if (a == 0.0) { for (int i = 0; i < n; i++) x[i] = 0; return; }
  for (int i = 0; i < n; i++) x[i] *= a; }""",
    "a product": """void f(int n, double a, double *x) {
  if (a == 0.0) { for (int i = 0; i < n; i++) x[i] = 1; } else if (a != 1.0) { for (int i = 0; i < n; i++) x[i] *= a; }
  for (int i = 0; i < n; i++) x[i] += 1; }""",
    "inside of the loop": """void f(int n, double a, double *x) {
  for (int i = 0; i < n; i++) { if (a > 0) x[i] = x[i] * a; if (!(a > 0)) x[i] = 2; } }""",
    "memory of its own": """void f(int n, double a, double *x) {
  double t[9]; for (int i = 0; i < 9; i++) t[i] = i;
  if (a > 0) { for (int i = 0; i < 9; i++) t[i] *= a; }
  for (int i = 0; i < n; i++) x[i] += t[3]; }""",
}


@needs_gcc
@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_sides_are_raised(name: str, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(FUNCTIONS[name])
    result = raise_module(convert(FUNCTIONS[name], "f.c", COptions()).mlir, options=RaiseOptions(check="proof"))
    assert not kept(result)
    assert isinstance(result.functions[0].verdict, Proved)
    assert not loops(without_fallbacks(result.text))
    beside = Beside(Library(tmp_path / "f.c", {}), result.text, "f")
    for n in (0, 1, 7):
        for a in (0.0, -0.0, 1.0, -2.0, 3.0, np.nan):
            assert not beside.difference([np.int32(n), np.float64(a), np.arange(9.0)]), (n, a)


FILL = """func.func @f(%x: memref<?xf64>, %c: f64, %n: index) {
  %z = arith.constant 0.0 : f64
  %t = arith.cmpf ogt, %c, %z : f64
  scf.if %t { affine.for %i = 0 to %n { affine.store %c, %x[%i] : memref<?xf64> } }
  return
}"""


@pytest.mark.parametrize(
    ("other", "proved"), [(FILL, True), (FILL.replace("%i = 0", "%i = 1"), False), (FILL.replace("ogt", "oge"), False)]
)
def test_pairs_are_compared_side_by_side(other: str, proved: bool) -> None:
    found = check(FILL, other, CheckOptions())
    assert isinstance(found, Proved if proved else Unknown)
    assert proved or "where of the branches that at" in found.reason


SUM = """func.func @f(%x: memref<4xf32>, %y: memref<f32>, %c: f32) {
  %z = arith.constant 0.0 : f32
  %t = arith.cmpf ogt, %c, %z : f32
  scf.if %t { affine.for %i = 0 to 4 {
    %a = affine.load %x[%i] : memref<4xf32>
    %b = affine.load %y[] : memref<f32>
    %s = arith.addf %b, %a : f32
    affine.store %s, %y[] : memref<f32> } }
  else { affine.for %i = 0 to 4 { affine.store %c, %x[%i] : memref<4xf32> } }
  return
}"""


def test_the_weaker_side_decides_what_is_said_of_rounding() -> None:
    backwards = SUM.replace("%x[%i] : memref<4xf32>\n    %b", "%x[3 - %i] : memref<4xf32>\n    %b")
    found, same = check(SUM, backwards, CheckOptions()), check(SUM, SUM, CheckOptions())
    assert isinstance(found, Proved) and isinstance(same, Proved)
    assert found.floats.startswith("reassociated") and same.floats == "bit-exact"
