"""Loops from one argument to another one touch nothing in front of the first: other threads may work there."""

import ctypes
import json
import subprocess
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.c.gcc import needs_gcc
from tests.cc.running import raise_cc_here
from tests.native.guarded import guarded
from tests.native.running import isolated

COLUMNS = 16
FUNCTIONS = {
    "element by element": "for (int i = lo; i < hi; i++) y[i*16] = x[i*16] * 2;",
    "rows": "for (int i = lo; i < hi; i++) for (int j = 0; j < 16; j++) y[i*16+j] += x[i*16+j];",
    "a matrix times a vector": """for (int i = lo; i < hi; i++) {
        float s = 0; for (int j = 0; j < 16; j++) s += x[i*16+j] * w[j]; y[i*16] = s; }""",
    "a matrix times a matrix": """for (int i = lo; i < hi; i++) for (int j = 0; j < 16; j++) {
        float s = 0; for (int k = 0; k < 16; k++) s += x[i*16+k] * w[k*16+j]; y[i*16+j] = s; }""",
    "squares of rows": """for (int i = lo; i < hi; i++) {
        float s = 0; for (int j = 0; j < 16; j++) s += x[i*16+j] * x[i*16+j]; y[i*16+1] = s; }""",
    "one after the other": """for (int i = lo; i < hi; i++) for (int j = 0; j < 16; j++) y[i*16+j] = x[i*16+j] + 1;
        for (int i = lo; i < hi; i++) for (int j = 0; j < 16; j++) y[i*16] += x[i*16+j];""",
    "neighbours": "for (int i = lo; i < hi; i++) for (int j = 1; j < 15; j++) y[i*16+j] = x[i*16+j-1] + x[i*16+j+1];",
    "an update beside it": """for (int j = 0; j < 16; j++) x[lo*16+j] *= 3;
        for (int i = lo + 1; i < hi; i++) for (int j = 0; j < 16; j++) x[i*16+j] -= x[lo*16+j];""",
}


def _compiled(tmp_path: Path, flags: list[str]) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """What `raise-cc` and the compiler alone make of the functions."""
    source, report = tmp_path / "k.c", tmp_path / "report.json"
    head = "int lo, int hi, float *restrict y, float *restrict x, const float *restrict w"
    source.write_text("\n".join(f"void f{k}({head}) {{ {body} }}" for k, body in enumerate(FUNCTIONS.values())))
    common = ["gcc", "-O2", *flags, "-shared", "-fPIC", str(source), "-o"]
    assert raise_cc_here("--raise-report", str(report), *common, str(tmp_path / "ours.so")) == 0
    assert json.loads(report.read_text())["replaced"] == len(FUNCTIONS)
    subprocess.run([*common, str(tmp_path / "plain.so")], check=True)
    return ctypes.CDLL(str(tmp_path / "ours.so")), ctypes.CDLL(str(tmp_path / "plain.so"))


def _rows(ours: ctypes.CDLL, plain: ctypes.CDLL) -> None:
    for k in range(len(FUNCTIONS)):
        for low, high in ((0, 1), (2, 5), (9, 31), (17, 64), (7, 7), (5, 2)):
            random = np.random.default_rng(high)
            arrays = [random.integers(-4, 4, (max(0, high - low), COLUMNS)).astype(np.float32) for _ in range(2)]
            w, results = random.integers(-4, 4, (COLUMNS, COLUMNS)).astype(np.float32), []
            for library in (ours, plain):
                given = [guarded(array, at_end=False) for array in arrays]
                places = [ctypes.c_void_p(array.ctypes.data - low * COLUMNS * 4) for array in given]
                library[f"f{k}"](low, high, *places, ctypes.c_void_p(w.ctypes.data))
                results.append([array.copy() for array in given])
            for one, two in zip(*results, strict=True):
                np.testing.assert_array_equal(one, two, str((k, low, high)))


@needs_gcc
@pytest.mark.parametrize("flags", [[], ["-O3", "-march=native", "-ffast-math"]], ids=["strict", "fast"])
def test_rows_in_front_of_a_chunk_are_not_touched(flags: list[str], tmp_path: Path) -> None:
    isolated(partial(_rows, *_compiled(tmp_path, flags)))
