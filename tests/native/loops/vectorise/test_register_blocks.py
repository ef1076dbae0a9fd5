"""Loops in which each element needs itself only, or neighbours that stay: what is carried is in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.c.gcc import Library, compiled_twice, needs_gcc
from tests.native.running import called

HEAD = "int n, int m, const {t} *restrict c, const {t} *restrict x, {t} *restrict y"
SUMS = "for (int i = 0; i < n; i++) {{ {t} s = 0; for (int k = 0; k < m; k++) {{ {body} }} y[i] = s; }}"
BODIES = {
    "polynomial": "s = s * x[i] + c[m - 1 - k];",
    "orbit": "s = s * s < 4 ? s * s / 8 + x[i] : s;",
    "filter": "s += c[k] * x[i + k];",
    "filter_backwards": "s += c[m - 1 - k] * x[i + m - 1 - k];",
    "every_other": "s += c[k] * x[i + 2 * k];",
    "two_windows": "s += x[i + k] * x[i + m];",
    "unused_times": "s = x[i] - s;",
    "times": "s = s / 2 + (k % 3) * x[i] + k;",
}
TYPES = {"float": "f4", "double": "f8", "short": "i2", "int": "i4"}
SOURCE = "\n".join(
    f"void {name}_{t}({HEAD.format(t=t)}) {{ {SUMS.format(t=t, body=body)} }}"
    for name, body in BODIES.items()
    for t in TYPES
)
SOURCE += """
void lags(int n, int m, const float *restrict c, const float *restrict x, float *restrict y) {
  for (int l = 0; l < m; l++) { float s = 0; for (int i = l; i < n; i++) s += x[i] * x[i - l]; y[l] = s; }
}
void every_second(int n, int m, const float *restrict c, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) {
    float s = 0; for (int k = 0; k < m; k++) s = s > x[i + 2 * k] ? s : x[i + 2 * k]; y[i] = s; }
}
void in_rows(int n, int m, const float *restrict c, const float *restrict x, float *restrict y) {
  for (int j = 0; j < 3; j++) for (int i = 0; i < n - 2; i++) {
    float s = y[j * n + i]; for (int k = 0; k < m; k++) s += c[k] * x[j * n + i + k]; y[j * n + i] = s; }
}
"""
CASES = [f"{name}_{t}" for name in BODIES for t in TYPES] + ["lags", "in_rows", "every_second"]
SIZES = [(0, 0), (0, 3), (1, 0), (1, 1), (5, 2), (16, 1), (33, 7), (130, 8), (130, 40), (300, 3), (300, -1), (-1, 2)]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return compiled_twice(SOURCE, tmp_path_factory.mktemp("blocks"))


@needs_gcc
@pytest.mark.parametrize("name", CASES)
def test_what_is_carried_is_the_same(libraries: tuple[Library, Library], name: str) -> None:
    kind = TYPES.get(name.rpartition("_")[2], "f4")
    for n, m in SIZES:
        rng = np.random.default_rng(abs(n))
        length = 3 * max(n, 0) + 2 * max(m, 0) + 8
        arrays = [(rng.random(length) * 6 - 3).astype(kind) for _ in range(3)]
        found, wanted = (library.call(name, [np.int32(n), np.int32(m), *arrays], None) for library in libraries)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-3, atol=1e-3, err_msg=str((n, m)))


STEPS = """func.func @f(%t: index, %y: memref<?x?xf64>, %x: memref<?x?xf64>, %c: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %t step %c1 {
    %w = memref.load %c[%k] : memref<?xf64>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf64>) outs(%y : memref<?x?xf64>) {
    ^bb0(%a: f64, %o: f64):
      %p = arith.mulf %o, %a : f64
      %r = arith.addf %p, %w : f64
      linalg.yield %r : f64 }
  }
  return
}"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(1, 1), (3, 0), (4, 37), (2, 130)], ids=str)
def test_steps_over_whole_arrays_are_those_of_the_loops_to_the_bit(shape: Sequence[int], threads: int) -> None:
    rng = np.random.default_rng(0)
    arrays: list[Any] = [rng.random(shape), rng.random(shape), rng.random(9)]
    for count in (0, 1, 9):
        wanted = called(STEPS, [count, *arrays], plain=True, fp="strict")
        found = called(STEPS, [count, *arrays], threads=threads, fp="strict")
        assert all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True)), count
