"""Short loops as people write them, strict about rounding: all are replaced, and no bit of a result changes."""

import ctypes
import json
import re
import subprocess
from pathlib import Path

import numpy as np

from tests.c.gcc import needs_gcc
from tests.cc.running import raise_cc_here

SOURCE = """
typedef unsigned char u8;
void d_from_one(int n, double *y, const double *x) { for (int i = 1; i < n; i++) y[i] = x[i] / (i * (i + 1)); }
void d_backward(int n, double *y, const double *x) { for (int i = n - 1; i >= 1; i--) y[i - 1] = x[i] * i + 1.0 / i; }
void d_larger(int n, double *y, const double *x) {
  for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < n; j++) if (x[j] > x[i]) s += x[j]; y[i] = s; }
}
void d_larger_than_place(int n, double *y, const double *x) {
  for (int i = 0; i < n; i++) { double s = -0.0; for (int j = 0; j < n; j++) if (x[j] > 0.5 * i) s += x[j]; y[i] = s; }
}
void d_crossings(int n, double *y, const double *x) {
  int c = 0;
  for (int i = 1; i < n; i++) if ((x[i] < 0) != (x[i-1] < 0)) c++;
  if (n > 0) y[0] = c;
}
void b_looked_up(int n, u8 *y, const u8 *x) { for (int i = 0; i < n; i++) y[i] = x[y[i]]; }
void b_life(int n, u8 *o, const u8 *s) {
  for (int y = 1; y < n - 1; y++)
    for (int x = 1; x < 15; x++) {
      int c = 0;
      for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) if (dx || dy) c += s[(y+dy)*16+x+dx];
      o[y*16+x] = c == 3 || (c == 2 && s[y*16+x]);
    }
}
void b_rectangle(int n, u8 *y, const u8 *x, int a, int b) {
  for (int i = a; i < 13; i++) for (int j = b; j < n; j++) y[i*n+j] += x[i*n+j];
}
void b_any(int n, u8 *y, const u8 *x) { u8 s = 0; for (int i = 0; i < n; i++) s |= x[i]; if (n > 0) y[0] = s; }
"""
SIZES = (-1, 0, 1, 2, 3, 17, 130)


def _given(kind: str, seed: int) -> list[np.ndarray]:
    """Numbers, whatever they are: zeros of both signs, infinities and what is no number among them."""
    random = np.random.default_rng(seed)
    if kind == "b":
        return [random.integers(0, 2 + 254 * (seed % 2), 130 * 16, dtype=np.uint8) for _ in range(2)]
    x, y = random.normal(size=(2, 130 * 16))
    x[:: 3 + seed % 5], y[::2] = (-0.0, 0.0, np.nan, np.inf, 1.0)[seed % 5], -0.0
    return [y, x]


@needs_gcc
def test_loops_as_people_write_them_are_replaced_and_keep_every_bit(tmp_path: Path) -> None:
    source, report = tmp_path / "k.c", tmp_path / "report.json"
    source.write_text(SOURCE)
    common = ["gcc", "-O2", "-march=x86-64-v3", "-ffp-contract=off", "-shared", "-fPIC", str(source), "-o"]
    assert raise_cc_here("--raise-report", str(report), *common, str(tmp_path / "ours.so")) == 0
    names = re.findall(r"^void (\w+)\(", SOURCE, re.MULTILINE)
    assert json.loads(report.read_text())["replaced"] == len(names), report.read_text()
    subprocess.run([*common, str(tmp_path / "plain.so")], check=True)
    libraries = [ctypes.CDLL(str(tmp_path / f"{name}.so")) for name in ("ours", "plain")]
    for name in names:
        for n in SIZES:
            for seed in range(5):
                results = []
                for library in libraries:
                    y, x = _given(name[0], seed)
                    library[name](n, *(ctypes.c_void_p(a.ctypes.data) for a in (y, x)), 3 * seed - 1 + (seed < 1), seed)
                    y[y != y] = 0  # what no number it is may differ
                    results.append(y.tobytes())
                assert results[0] == results[1], (name, n, seed)
