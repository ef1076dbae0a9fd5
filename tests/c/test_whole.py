"""Functions that are no loops over arrays, written as C has them (`--whole`): a file is compiled as a whole."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from raising.commands.compile_command import main as raise_compile
from raising.emit.versioning import guarded
from raising.frontend.c import COptions, convert
from tests.c.gcc import Library, needs_gcc

TEXT = """
static int counts[16];
void histogram(int n, const unsigned char *x, int *h) { for (int i = 0; i < n; i++) h[x[i]]++; }
int counted(int n, const int *x) {
  for (int i = 0; i < n; i++) counts[x[i] & 15]++;
  int most = 0; for (int i = 1; i < 16; i++) if (counts[i] > counts[most]) most = i;
  return most * 1000 + counts[most];
}
double product(int n, const int *start, const double *v) {
  double s = 1; for (int k = start[0]; k < start[n]; k++) s *= v[k];
  return s;
}
void sorted(int n, int *x) {
  for (int i = 1; i < n; i++) {
    int v = x[i], j = i - 1;
    while (j >= 0 && x[j] > v) { x[j + 1] = x[j]; j--; }
    x[j + 1] = v;
  }
}
void moved(int n, const int *at, const double *x, double *y) { for (int i = 0; i < n; i++) y[at[i]] = x[i] + 1; }
int found(int n, const int *x) { for (int i = 0; i < n; i++) if (x[i] == 4) return i; return -1; }
int last(int n, const int *x) { int i = n; while (i-- > 0) if (x[i] == 4) break; return i; }
int nested(int n, const int *x) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (x[i + j] == 4) break;
      if (x[i + j] == 3 && s > 5) return s;
      s += x[i + j];
      if (s & 1) continue;
      s++;
    }
    if (s > 100) break;
    s += 2;
  }
  return -s;
}
void fallen(int n, int *x) {
  for (int i = 0; i < n; i++) {
    do { if (x[i] > 7) break; x[i]++; } while (x[i] < 3);
    switch (x[i]) {
      case 3: x[i] = 12; break;
      case 5: if (i > 2) return; x[i] = 13;
      case 6: x[i] += 20; break;
      default: x[i] -= 1;
    }
  }
  x[0] = 99;
}
static int placed(int n, const int *x, int v) { for (int i = 0; i < n; i++) if (x[i] == v) return i; return -1; }
void unique(int n, const int *x, int *o) {
  int k = 0;
  for (int i = 0; i < n; i++) if (placed(k, o, x[i]) < 0) o[k++] = x[i];
}
void plain(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }
"""
INTEGERS = ("counted", "sorted", "found", "last", "nested", "fallen", "unique")
RESULTS = ("counted", "found", "last", "nested")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "k.c").write_text(TEXT)
    read = convert(TEXT, "k.c", COptions(guard=True, whole=True))
    assert [f.name for f in read.functions] == ["plain"]
    assert all("is written as it is: " in r.reason for r in read.refused)
    (folder / "k.mlir").write_text(guarded(read.mlir, read.guards))
    assert raise_compile([str(folder / "k.mlir"), "-o", str(folder / "k.so"), "--header", str(folder / "k.h")]) == 0
    assert "histogram(int n, const unsigned char *x, int *h)" in (folder / "k.h").read_text()
    return Library.loaded(folder / "k.so").shared, Library(folder / "k.c", {}).shared


@needs_gcc
@pytest.mark.parametrize("name", ["histogram", "product", "moved", "plain", *INTEGERS])
@pytest.mark.parametrize("n", [0, 1, 2, 17])
@pytest.mark.parametrize("apart", [0, 1, 7, 1000])
def test_a_file_as_a_whole(libraries: tuple[ctypes.CDLL, ctypes.CDLL], name: str, n: int, apart: int) -> None:
    """Also where arrays overlap: they do not unless they are 1000 elements apart."""
    random = np.random.default_rng(n)
    memory = random.integers(0, 9, 4000).astype(np.uint8)
    floats, ints = random.standard_normal(4000), random.integers(0, 9, 4000).astype(np.int32)
    starts, left = np.arange(n + 1, dtype=np.int32) * 2, []
    for library in libraries:
        b, d, i = memory.copy(), floats.copy(), ints.copy()
        given = {
            "histogram": (i.ctypes.data + apart, i.ctypes.data + 4 * apart),
            "product": (starts.ctypes.data, d.ctypes.data),
            "unique": (i.ctypes.data, i.ctypes.data + 4 * apart),
            "moved": (i.ctypes.data, d.ctypes.data, d.ctypes.data + 8 * apart),
            "plain": (d.ctypes.data,),
        }.get(name, (i.ctypes.data + 4 * apart,))
        function = getattr(library, name)
        function.restype = ctypes.c_double if name == "product" else ctypes.c_int if name in RESULTS else None
        left.append((function(n, *map(ctypes.c_void_p, given)), b.tobytes(), d.tobytes(), i.tobytes()))
    assert left[0] == left[1]
