"""Counters that are divided, and filters over padded images: raised whole, and right at sizes of 0, 1 and others."""

from collections.abc import Callable

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from raising.validate.native.foreign_call import Compiled
from tests.raising.algebra import loops

UPSAMPLE = """void f(int c, int h, int w, const float *restrict x, float *restrict y) {
  for (int k = 0; k < c; k++)
    for (int i = 0; i < 2 * h; i++)
      for (int j = 0; j < w * 2; j++)
        y[k * h * w * 4 + i * w * 2 + j] = x[k * h * w + (i / 2) * w + j / 2];
}"""
REPEAT = """void f(int n, int d, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) y[i] = x[i / d];
}"""
PATCHES = """static float at(const float *x, int h, int w, int k, int i, int j) {
  if (i < 0 || j < 0 || i >= h || j >= w) return 0;
  return x[(k * h + i) * w + j];
}
void f(int c, int h, int w, const float *restrict x, float *restrict y) {
  for (int k = 0; k < c; k++)
    for (int p = 0; p < 3; p++)
      for (int q = 0; q < 3; q++)
        for (int i = 0; i < h; i++)
          for (int j = 0; j < w; j++)
            y[(((k * 3 + p) * 3 + q) * h + i) * w + j] = at(x, h, w, k, i + p - 1, j + q - 1);
}"""


def _upsampled(x: np.ndarray) -> np.ndarray:
    return x.repeat(2, axis=1).repeat(2, axis=2)


def _patches(x: np.ndarray) -> np.ndarray:
    wide, (_, h, w) = np.pad(x, ((0, 0), (1, 1), (1, 1))), x.shape
    return np.stack([wide[:, p : p + h, q : q + w] for p in range(3) for q in range(3)], axis=1)


@pytest.mark.parametrize(("text", "wanted"), [(UPSAMPLE, _upsampled), (PATCHES, _patches)])
def test_images(text: str, wanted: Callable[[np.ndarray], np.ndarray]) -> None:
    result = raise_module(convert(text, "k.c", COptions()).mlir, check="field")
    assert not loops(result.text), result.remarks
    compiled = Compiled(result.text, "f")
    for shape in ((2, 3, 4), (1, 1, 1), (0, 2, 2), (2, 0, 3), (3, 2, 1)):
        x = np.random.default_rng(1).random(shape, dtype=np.float32)
        want = wanted(x)
        y = np.full(_view(text, shape), 7, dtype=np.float32)
        compiled.call([*shape, x, y])
        np.testing.assert_array_equal(y.reshape(-1), want.reshape(-1))


def _view(text: str, shape: tuple[int, int, int]) -> tuple[int, ...]:
    c, h, w = shape
    return (c, h, 2, w, 2) if text is UPSAMPLE else (c, 3, 3, h, w)


def test_a_quotient_with_a_rest() -> None:
    result = raise_module(convert(REPEAT, "k.c", COptions()).mlir, check="field")
    assert {r.kind for r in result.remarks} == {"raised"}, result.remarks
    compiled = Compiled(result.text, "f")
    for n, d in ((12, 3), (13, 3), (2, 5), (1, 1), (0, 3), (7, 7)):
        x, y = np.arange(n // d + 1, dtype=np.float32), np.full((n // d + 1, d), 7, dtype=np.float32)
        compiled.call([n, d, x, y])
        assert np.array_equal(y.reshape(-1)[:n], x.repeat(d)[:n]) and (y.reshape(-1)[n:] == 7).all()
