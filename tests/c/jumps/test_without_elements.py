"""What a function does with nothing to work on: `if (n <= 0) return 0;` in front of a mean, raised beside gcc."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from raising.frontend.c import convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from raising.pipeline import raise_module
from tests.c.gcc import FLAGS, GCC, needs_gcc

TEXT = """
#include <math.h>
double below(const double *x, int n) {
  if (n <= 0) return 0.0;
  double s = 0; for (int i = 0; i < n; i++) s += x[i];
  return s / n;
}
double zero(const double *x, int n) {
  if (n == 0) return 0.0;
  double s = 0; for (int i = 0; i < n; i++) s += x[i];
  return s / n;
}
double root(const double *x, unsigned n) {
  if (n == 0) return 0.0;
  double s = 0; for (unsigned i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s / n);
}
double variance(const double *x, int n) {
  double m = 0, v = 0;
  if (!n) return -1.0;
  for (int i = 0; i < n; i++) m += x[i];
  m /= n;
  for (int i = 0; i < n; i++) v += (x[i] - m) * (x[i] - m);
  return v / n;
}
"""


@needs_gcc
def test_a_quotient_by_no_elements_is_not_taken(tmp_path: Path) -> None:
    result = raise_module(convert(TEXT, "k.c").mlir, check="proof", cache=False)
    assert "affine.for" not in result.text
    (tmp_path / "k.c").write_text(TEXT)
    (tmp_path / "ours.o").write_bytes(build(result.text.encode(), "k.mlir", CompileOptions()).code.object)
    for name, source in (("ours", "ours.o"), ("theirs", "k.c")):
        command = [str(GCC), *FLAGS, "-shared", "-fPIC", "-o", f"{name}.so", source, "-lm"]
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    x = np.random.default_rng(1).random(9)
    for name in ("below", "zero", "root", "variance"):
        functions = [ctypes.CDLL(str(tmp_path / f"{one}.so"))[name] for one in ("ours", "theirs")]
        for n in (0, 1, 2, 9, *((-1, -7) if name != "root" else ())):
            for function in functions:
                function.restype = ctypes.c_double
            got, want = (function(ctypes.c_void_p(x.ctypes.data), n) for function in functions)
            assert np.isclose(got, want, rtol=1e-12), (name, n, got, want)
