"""Extents that C gives by the parameters of a function: what is read beyond the loops is still inside of an array."""

import raising
from raising.frontend.c import COptions, convert
from raising.validate.base.verdict import Proved

TRMM = """
void f(int m, int n, double A[m][m], double B[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = i + 1; k < m; k++) B[i][j] += A[k][i] * B[k][j];
}"""
WINDOW = """
void f(int h, int w, int kh, int kw, float in[h][w], float k[kh][kw], float out[h-kh+1][w-kw+1]) {
  for (int y = 0; y < h - kh + 1; y++)
    for (int x = 0; x < w - kw + 1; x++) {
      float s = 0;
      for (int i = 0; i < kh; i++)
        for (int j = 0; j < kw; j++) s += in[y + i][x + j] * k[i][j];
      out[y][x] = s;
    }
}"""
BEYOND = """
func.func @f(%n: i32, %A: memref<?xf64>, %B: memref<?xf64>) attributes {c_parameters = C} {
  %m = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %m {
    %a = affine.load %A[%i] : memref<?xf64>
    affine.store %a, %B[%i] : memref<?xf64>
  }
  return
}"""


def _raised(source):
    return raising.raise_module(convert(source, "f.c", COptions(function="f")).mlir)


def test_a_triangle_of_which_a_column_is_never_read_is_proved():
    """The raised form reads all of A, whose extents are those of the loops."""
    result = _raised(TRMM)
    (report,) = result.functions
    assert isinstance(report.verdict, Proved) and "linalg.matmul" in result.text
    assert "extract_slice" not in result.text


def test_a_window_is_run_where_it_fits_into_its_image():
    (report,) = _raised(WINDOW).functions
    *numbers, image, window, out = report.verdict.tested.native.sizes.split()
    h, w, kh, kw = map(int, numbers)
    assert h > kh > 1 and w > kw > 1
    assert (image, window, out) == (f"{h}x{w}", f"{kh}x{kw}", f"{h - kh + 1}x{w - kw + 1}")


def test_an_extent_that_is_no_form_over_sizes_is_one_of_its_own():
    """What an attribute says that is not ours to trust: names that are none, and divisions."""
    for text in ("n / 2", "k", "n * n", "(", "__import__('os')"):
        declared = f'[["int", "n"], ["double", "A", "{text}"], ["double", "B", "n"]]'
        result = raising.raise_module(BEYOND.replace("= C", f"= {declared}"))
        assert result.complete and "extract_slice" in result.text, text
