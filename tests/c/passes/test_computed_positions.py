"""Subscripts that are computed, or no affine functions: their positions are stored in front of the loops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raising
from raising.frontend.c import COptions, convert
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.native.running import called

IM2COL = """
static float pixel(const float *im, int height, int width, int row, int col, int channel, int pad) {
  row -= pad; col -= pad;
  if (row < 0 || col < 0 || row >= height || col >= width) return 0;
  return im[col + width * (row + height * channel)];
}
void im2col(const float *im, int channels, int height, int width, int ksize, int stride, int pad, float *col) {
  int height_col = (height + 2 * pad - ksize) / stride + 1, width_col = (width + 2 * pad - ksize) / stride + 1;
  for (int c = 0; c < channels * ksize * ksize; ++c) {
    int w_offset = c % ksize, h_offset = (c / ksize) % ksize, c_im = c / ksize / ksize;
    for (int h = 0; h < height_col; ++h)
      for (int w = 0; w < width_col; ++w)
        col[(c * height_col + h) * width_col + w] =
          pixel(im, height, width, h_offset + h * stride, w_offset + w * stride, c_im, pad);
  }
}"""
TABLES = {
    "masked": "for (int i = 0; i < n; i++) a[i] = t[b[i] & 7];",
    "mixed": "for (int i = 0; i < n; i++) a[i] += 2 * t[(b[i] * 3 + i) % 8];",
    "rows": "for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) a[i] += t[(b[i] & 3) * 2 + j];",
    "product": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i] += t[(i * j * m) % 8];",
    "chosen": "for (int i = 0; i < n; i++) if (b[i] > 99) a[i] = t[b[i] % 8];",
}
HEAD = "void f(int n, int m, const unsigned char *restrict b, const double *restrict t, double *restrict a) {"


def _raised(source: str) -> str:
    module = convert(source, "k.c")
    assert not [r for r in module.refused if "'f'" in r.reason], module.refused
    result = raising.raise_module(module.mlir)
    assert "affine.for" not in result.text and "scf.for" not in result.text, [str(r) for r in result.remarks]
    return result.text


def _agree(library: Library, text: str, name: str, arguments: list[Any]) -> None:
    wanted = library.call(name, arguments, None)
    for x, y in zip(wanted, Beside(library, text, name).run(arguments), strict=True):
        np.testing.assert_allclose(np.ravel(x), np.ravel(y), rtol=1e-12)


@needs_gcc
@pytest.mark.parametrize("name", TABLES)
def test_positions_in_tables(name: str, tmp_path: Path) -> None:
    source = f"{HEAD}\n  {TABLES[name]}\n}}\n"
    (tmp_path / "k.c").write_text(source)
    text, library = _raised(source), Library(tmp_path / "k.c", {})
    b = np.array([255, 7, 8, 99, 100, 0, 131], np.uint8)
    for n, m in ((0, 3), (1, 0), (7, 3)):
        _agree(library, text, "f", [np.int32(n), np.int32(m), b, np.arange(8.0) - 3, np.linspace(-1, 1, 7)])


@needs_gcc
def test_columns_of_an_image(tmp_path: Path) -> None:
    """Any size, stride and border of the filter: the position is no affine function of these."""
    (tmp_path / "k.c").write_text(IM2COL)
    text, library = _raised(IM2COL), Library(tmp_path / "k.c", {})
    rng = np.random.default_rng(1)
    for c, h, w, k, stride, pad in (
        (2, 5, 6, 3, 1, 1),
        (1, 4, 7, 2, 2, 0),
        (3, 1, 1, 3, 2, 1),
        (0, 4, 4, 3, 1, 1),
        (2, 7, 5, 3, 3, 2),
        (1, 6, 6, 1, 2, 0),
    ):
        rows, columns = (h + 2 * pad - k) // stride + 1, (w + 2 * pad - k) // stride + 1
        image = rng.standard_normal(max(1, c * h * w)).astype(np.float32)
        out = np.zeros((c, k, k, rows, columns), np.float32)
        sizes = [np.int32(v) for v in (c, h, w, k, stride, pad)]
        _agree(library, text, "im2col", [image, *sizes, out])


POOL = """
#include <float.h>
void pooled(const float *in, int c, int h, int w, int size, int stride, int pad, float *out) {
  int oh = (h + pad - size) / stride + 1, ow = (w + pad - size) / stride + 1;
  for (int k = 0; k < c; ++k) for (int i = 0; i < oh; ++i) for (int j = 0; j < ow; ++j) {
    float max = -FLT_MAX;
    for (int n = 0; n < size; ++n) for (int m = 0; m < size; ++m) {
      int y = -pad / 2 + i * stride + n, x = -pad / 2 + j * stride + m, index = x + w * (y + h * k);
      float val = y >= 0 && y < h && x >= 0 && x < w ? in[index] : -FLT_MAX;
      max = val > max ? val : max; }
    out[j + ow * (i + oh * k)] = max; } }"""


@needs_gcc
def test_the_largest_of_each_window(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(POOL)
    text, library = _raised(POOL), Library(tmp_path / "k.c", {})
    rng = np.random.default_rng(1)
    for c, h, w, size, stride, pad in ((2, 6, 4, 2, 2, 0), (1, 5, 7, 3, 2, 2), (3, 4, 4, 2, 1, 1), (0, 4, 4, 2, 2, 0)):
        rows, columns = (h + pad - size) // stride + 1, (w + pad - size) // stride + 1
        image = rng.standard_normal(max(1, c * h * w)).astype(np.float32)
        sizes = [np.int32(v) for v in (c, h, w, size, stride, pad)]
        _agree(library, text, "pooled", [image, *sizes, np.zeros((c, rows, columns), np.float32)])


PARTLY = {
    "in a triangle": "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i] += t[(b[j] + i) & 7];",
    "the longest row is inside": "for (int i = 0; i < n; i++) for (int j = 0; j < i + 2 - (i + 2) / 3 * 3; j++)"
    " a[i] += t[(b[i] ^ b[j]) & 7];",
    "the table changes": "for (int i = 0; i < n; i++) t[i] = t[b[i] & 7] + 1;",
    "the positions change": "for (int i = 0; i < n; i++) { b[i] = b[i] + 1; a[i] = t[b[i] & 7]; }",
    "it divides under a branch": "for (int i = 0; i < n; i++) if (m) a[i] = t[b[i] % m];",
    "it is read under a branch": "for (int i = 0; i < n; i++) if (a[i] > 0) a[i] = t[b[i] & 7];",
}


@needs_gcc
@pytest.mark.parametrize("name", PARTLY)
def test_what_is_not_known_in_front_of_the_loops_is_not_moved_there(name: str, tmp_path: Path) -> None:
    source = HEAD.replace("const ", "") + PARTLY[name] + "}"
    (tmp_path / "k.c").write_text(source)
    module = convert(source, "k.c")
    if "@f(" not in module.mlir:
        return
    text = raising.raise_module(module.mlir).text
    arguments = [np.int32(5), np.int32(3), np.array([255, 7, 8, 99, 131], np.uint8), np.arange(8.0), np.arange(5.0)]
    wanted = Library(tmp_path / "k.c", {}).call("f", arguments, None)
    for x, y in zip(wanted, called(text, [a.copy() for a in arguments], unchecked=True), strict=True):
        np.testing.assert_array_equal(x, y)


def test_what_no_test_finds_out_is_not_assumed_with_a_guard() -> None:
    """That the image has an element."""
    assert "has an element" in str(convert(IM2COL, "k.c").assumptions)
    assert "has an element" not in str(convert(IM2COL, "k.c", COptions(guard=True)).assumptions)
