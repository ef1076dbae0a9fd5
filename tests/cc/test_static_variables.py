"""Static variables of a file: raised code and what stays in C have the same ones."""

import ctypes
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.c.gcc import needs_gcc
from tests.cc.running import raise_cc_here

SOURCE = """
static float window[64], sums[1024], lonely[64];
static int count = 7;
static double begun[70] = {1, 2, 3};
void fill(int n) { for (int i = 0; i < 64; i++) window[i] = i * 0.5f + n; }
void weigh(int n, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) y[i] = x[i] * window[i & 63]; }
void weigh_all(const float *x, float *y) { for (int i = 0; i < 64; i++) y[i] = x[i] * window[i]; }
static void spread(float v) { for (int i = 0; i < 1024; i++) sums[i] = v * i; }
float total(float v) { spread(v); float s = 0; for (int i = 0; i < 1024; i++) s += sums[i]; return s; }
void grow(int n) { for (int i = 0; i < 70; i++) begun[i] += n * i; count += n; }
double grown(int i) { return begun[i] + count; }
float *where(void) { return window; }
void copy(float *x) { for (int i = 0; i < 64; i++) x[i] = window[i] + 1; }
void set(float v) { for (int i = 0; i < 64; i++) lonely[i] = v + i; }
float get(int i) { return lonely[i]; }
"""
REPLACED = {"fill", "weigh", "weigh_all", "total", "grow", "copy", "set"}


def _history(library: Path) -> list[object]:
    """What a sequence of calls returns and writes: `get` and `grown` read what only raised code writes."""
    calls, found = ctypes.CDLL(str(library)), list[object]()
    calls.total.restype = calls.get.restype = ctypes.c_float
    calls.grown.restype, calls.where.restype = ctypes.c_double, ctypes.c_void_p
    x, y = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    given, result = (ctypes.c_void_p(array.ctypes.data) for array in (x, y))

    def weighed(n: int) -> None:
        calls.weigh(n, given, result)
        found.append(y.tolist())

    calls.set(ctypes.c_float(2))
    found += [calls.get(i) for i in range(64)]
    found += [calls.total(ctypes.c_float(0.5)), *map(calls.grown, range(70))]
    calls.grow(3)
    found += map(calls.grown, range(70))
    calls.fill(3)
    weighed(100)
    window = calls.where()
    calls.weigh_all(ctypes.c_void_p(window), ctypes.c_void_p(window + 4))  # the window itself, moved by one
    weighed(64)
    calls.copy(ctypes.c_void_p(window))
    weighed(64)
    return found


@needs_gcc
@pytest.mark.parametrize("flags", [["-O2"], ["-O3", "-std=c99", "-Werror", "-march=native"]], ids=["2", "3"])
def test_both_objects_have_the_same_variables(flags: list[str], tmp_path: Path) -> None:
    source, report = tmp_path / "k.c", tmp_path / "report.json"
    source.write_text(SOURCE)
    common = ["gcc", *flags, "-ffp-contract=off", "-shared", "-fPIC", str(source), "-o"]
    assert raise_cc_here("--raise-report", str(report), *common, str(tmp_path / "ours.so")) == 0
    rows = json.loads(report.read_text())["functions"]
    assert {row["function"] for row in rows if row["done"] == "replaced"} == REPLACED
    subprocess.run([*common, str(tmp_path / "plain.so")], check=True)
    assert _history(tmp_path / "ours.so") == _history(tmp_path / "plain.so")


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
def test_clang_does_not_complain_of_flags_for_the_linker(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, report = tmp_path / "k.c", tmp_path / "report.json"
    source.write_text(SOURCE)
    common = ["clang", "-O2", "-Werror", "-shared", "-fPIC", "-Wl,-O1", str(source), "-o", str(tmp_path / "k.so")]
    assert raise_cc_here("--raise-report", str(report), *common) == 0
    assert not capfd.readouterr().err
    assert json.loads(report.read_text())["replaced"] == len(REPLACED)
