"""Integers that are computed once in front of loops, as their bounds, strides and offsets: beside gcc at many sizes.

Where one size is assumed to be a multiple of another, the function tests it and does what C does if it is none.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from raising.emit.versioning import guarded
from raising.frontend.c import COptions, SourceModule, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import GCC, Library, needs_gcc
from tests.native.running import isolated

SOURCE = """\
void scores(const float *q, const float *k, float *s, int dim, int heads, int n) {
  int hs = dim / heads;
  for (int h = 0; h < heads; h++)
    for (int t = 0; t < n; t++) {
      float a = 0;
      for (int i = 0; i < hs; i++)
        a += q[h * hs + i] * k[t * dim + h * hs + i];
      s[h * n + t] = a;
    }
}
void group_scale(float *x, const float *g, int n, int c, int groups, int spatial) {
  int per = c / groups;
  for (int b = 0; b < n; b++)
    for (int k = 0; k < groups; k++)
      for (int j = 0; j < per * spatial; j++)
        x[(b * groups + k) * per * spatial + j] *= g[k];
}
void pool(const float *x, float *y, int h, int w, int s) {
  int oh = h / s, ow = w / s;
  for (int i = 0; i < oh; i++)
    for (int j = 0; j < ow; j++) {
      float a = 0;
      for (int u = 0; u < s; u++)
        for (int v = 0; v < s; v++)
          a += x[(i * s + u) * w + j * s + v];
      y[i * ow + j] = a / (s * s);
    }
}
void patches(const float *im, float *out, int h, int w, int p) {
  int ph = h / p, pw = w / p;
  for (int i = 0; i < ph; i++)
    for (int j = 0; j < pw; j++)
      for (int u = 0; u < p; u++)
        for (int v = 0; v < p; v++)
          out[((i * pw + j) * p + u) * p + v] = im[(i * p + u) * w + j * p + v];
}
void shuffle(const float *x, float *y, int c, int h, int w, int r) {
  int oc = c / (r * r);
  for (int k = 0; k < oc; k++)
    for (int u = 0; u < r; u++)
      for (int v = 0; v < r; v++)
        for (int i = 0; i < h; i++)
          for (int j = 0; j < w; j++)
            y[(k * h * r + i * r + u) * w * r + j * r + v] = x[((k * r * r + u * r + v) * h + i) * w + j];
}
void frames(const float *x, const float *win, float *y, int n, int size, int hop) {
  int count = (n - size) / hop + 1;
  for (int t = 0; t < count; t++)
    for (int i = 0; i < size; i++)
      y[t * size + i] = x[t * hop + i] * win[i];
}
void conv1d(const float *x, const float *w, float *y, int n, int k) {
  int out = (n - k) / 2 + 1;
  for (int i = 0; i < out; i++) {
    float a = 0;
    for (int j = 0; j < k; j++)
      a += x[2 * i + j] * w[j];
    y[i] = a;
  }
}
void attention(const float *q, const float *k, float *s, int dim, int heads, int kv, int n) {
  int hs = dim / heads, mul = heads / kv, kv_dim = dim * kv / heads;
  for (int g = 0; g < kv; g++)
   for (int m = 0; m < mul; m++)
    for (int t = 0; t < n; t++) {
      float a = 0;
      for (int i = 0; i < hs; i++)
        a += q[(g * mul + m) * hs + i] * k[t * kv_dim + g * hs + i];
      s[(g * mul + m) * n + t] = a;
    }
}
void halves(float *x, int n, int k) {
  int part = n / k;
  for (int i = 0; i < part; i++)
    x[i] += x[part + i];
}
void mel(const float *p, const float *f, float *m, int nfft, int bands, int frames) {
  int bins = nfft / 2 + 1;
  for (int t = 0; t < frames; t++)
    for (int b = 0; b < bands; b++) {
      float a = 0;
      for (int k = 0; k < bins; k++)
        a += f[b * bins + k] * p[t * bins + k];
      m[t * bands + b] = a;
    }
}
void neg(float *x, int n, int m, int k) {
  int a = n / m;
  for (int i = 0; i < a - k; i++)
    for (int j = 0; j < a; j++) x[i * a + j] += 1;
}
void cond(float *x, int n, int m, int on) {
  if (on) {
    int a = n / m, b = n % m;
    for (int i = 0; i < a; i++)
      for (int j = 0; j < b; j++) x[i * b + j] *= 2;
  }
}
void nested(float *x, unsigned n, unsigned m, unsigned r) {
  for (unsigned i = 0; i < r; i++)
    for (unsigned j = 0; j < n / m; j++) x[i * (n / m) + j] *= 2;
}
void grouped(const float *q, const float *k, float *s, int dim, int heads, int kv, int n) {
  int hs = dim / heads, mul = heads / kv, kv_dim = dim * kv / heads;
  for (int h = 0; h < heads; h++)
    for (int t = 0; t < n; t++) {
      float a = 0;
      for (int i = 0; i < hs; i++)
        a += q[h * hs + i] * k[t * kv_dim + (h / mul) * hs + i];
      s[h * n + t] = a;
    }
}
void upsample(const float *x, float *y, int c, int h, int w) {
  for (int k = 0; k < c; k++)
    for (int i = 0; i < 2 * h; i++)
      for (int j = 0; j < w * 2; j++)
        y[k * h * w * 4 + i * w * 2 + j] = x[k * h * w + (i / 2) * w + j / 2];
}
void repeat(const float *x, float *y, int n, int d) {
  for (int i = 0; i < n; i++) y[i] = x[i / d];
}
void tile(const float *x, float *y, unsigned n, unsigned d) {
  for (unsigned i = 0; i < n; i++) y[i] += x[i % d];
}
void digits(const float *x, float *y, int c, int k, int n) {
  for (int r = 0; r < c * k * k; r++) {
    int u = r % k, v = (r / k) % k, p = r / k / k;
    for (int j = 0; j < n; j++) y[r * n + j] = x[((p * k + u) * k + v) * n + j];
  }
}
void pairs(const float *x, float *y, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) y[i * m + j] = x[(i / 2) * m + j] - (i % 2);
}
"""

SIZES = {
    "scores": "12 3 4, 12 5 4, 0 3 2, 1 1 1, 5 6 2, -4 2 3, 4 -2 3, 4 2 0",
    "group_scale": "2 6 3 4, 2 7 3 4, 0 6 3 4, 1 1 1 1, 2 2 3 4, 2 6 -3 4, 2 6 3 0",
    "pool": "6 4 2, 7 5 2, 1 1 1, 0 4 2, 1 2 3, 6 6 3, 4 6 -2",
    "patches": "6 4 2, 7 5 2, 1 1 1, 0 4 2, 1 2 3, 4 9 3, 4 4 -1",
    "shuffle": "8 3 2 2, 9 3 2 2, 1 1 1 1, 0 2 2 2, 3 2 2 2, 4 0 3 2, 4 2 2 -2",
    "frames": "20 4 5, 20 6 3, 3 4 2, 0 0 1, 1 1 1, 20 4 4, 9 2 -3",
    "conv1d": "9 3, 8 3, 3 3, 2 3, 0 0, 1 1, 0 4, -1 2",
    "attention": "24 6 2 3, 24 4 4 2, 24 5 2 3, 25 5 2 3, 1 1 1 1, 0 2 1 3, 12 2 3 2, 12 -4 2 2",
    "halves": "9 3, 10 3, 1 1, 0 1, 2 5, 7 2, -6 2, -6 -2",
    "mel": "8 3 4, 9 3 4, 0 2 2, 1 1 1, -1 2 2, -2 2 2, -5 2 2, 8 0 4",
    "neg": "9 2 1, 9 2 -1, 9 4 2, 1 1 0, 0 1 0, -9 2 1, 9 -2 1",
    "cond": "7 3 1, 7 3 0, 7 0 0, 6 3 1, 0 1 1, -7 3 1, 7 -3 1",
    "nested": "7 3 2, 7 0 0, 0 1 4, 1 1 1, 7 8 3, 4294967295 4294967295 3",
    "grouped": "24 6 2 3, 24 6 4 2, 24 5 2 3, 25 5 5 3, 1 1 1 1, 0 2 1 3, 12 2 3 0, 24 4 2 0, -4 2 1 2, 12 -4 2 2",
    "upsample": "2 3 4, 1 1 1, 0 2 2, 2 0 3, 2 3 0, 1 -2 3, -1 2 2",
    "repeat": "12 3, 13 3, 2 5, 1 1, 0 0, 0 3, -4 3, 1 -2, -5 -2",
    "tile": "12 3, 13 3, 2 5, 1 1, 0 0, 0 3, 600 7",
    "digits": "3 2 4, 2 3 1, 1 1 1, 0 2 3, 2 0 3, 2 3 0, 0 -2 3, -2 2 3",
    "pairs": "6 4, 7 4, 1 3, 2 1, 0 4, 3 0, -3 2, -2 -2",
}
"""For each function its numbers, in their order: 0, 1, negative ones, such as divide each other and others."""


@pytest.fixture(scope="module")
def module() -> SourceModule:
    """What is read, with tests of what is assumed."""
    return convert(SOURCE, "k.c", COptions(guard=True))


@pytest.fixture(scope="module")
def libraries(module: SourceModule, tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    """The file as gcc compiles it, and as it was read."""
    folder: Path = tmp_path_factory.mktemp("named")
    text = guarded(module.mlir, module.guards)
    made = isolated(lambda: build(text.encode(), "k.mlir", CompileOptions(fp="strict")).code.object)
    (folder / "k.o").write_bytes(made)
    (folder / "k.c").write_text(SOURCE)
    subprocess.run([str(GCC), "-shared", "-o", folder / "k.so", folder / "k.o", "-lm"], check=True)
    return Library(folder / "k.c", {}), Library.loaded(folder / "k.so")


def _arguments(function: str, numbers: str) -> Iterator[np.ndarray | np.generic]:
    """Memory for pointers, numbers for the rest."""
    random = np.random.default_rng(7)
    found = re.search(rf"void {function}\((.*)\)", SOURCE)
    assert found is not None
    given = iter(numbers.split())
    for parameter in found[1].split(","):
        if "*" in parameter:
            yield random.integers(-4, 5, 700).astype("float32")
        else:
            yield np.dtype("uint32" if "unsigned" in parameter else "int32").type(next(given))


@needs_gcc
@pytest.mark.parametrize("function", SIZES)
def test_it_does_what_gcc_does(function: str, libraries: tuple[Library, Library]) -> None:
    theirs, ours = libraries
    for numbers in SIZES[function].split(", "):
        arguments = list(_arguments(function, numbers))
        want, got = theirs.call(function, arguments), ours.call(function, arguments)
        assert all(np.array_equal(a, b) for a, b in zip(want, got, strict=True)), numbers


def test_every_function_is_read_whole(module: SourceModule) -> None:
    assert [f.name for f in module.functions] == list(SIZES) and not module.refused


def test_what_is_assumed_is_printed(module: SourceModule) -> None:
    found = [a.reason for a in module.assumptions if "multiple" in a.reason]
    assert found == [
        "in 'scores': dim is a multiple of heads: rows are not cut off",
        "in 'pool': w is a multiple of s: rows are not cut off",
        "in 'patches': w is a multiple of p: rows are not cut off",
        "in 'attention': dim is a multiple of heads: rows are not cut off",
        "in 'grouped': dim is a multiple of heads: rows are not cut off",
        "in 'grouped': heads is a multiple of kv: rows are not cut off",
    ]
