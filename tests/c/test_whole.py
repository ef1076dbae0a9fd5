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
void plain(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }
"""
N = 40


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "k.c").write_text(TEXT)
    read = convert(TEXT, "k.c", COptions(whole=True))
    assert [f.name for f in read.functions] == ["plain"]
    assert all("is written as it is: " in r.reason for r in read.refused)
    (folder / "k.mlir").write_text(guarded(read.mlir, read.guards))
    assert raise_compile([str(folder / "k.mlir"), "-o", str(folder / "k.so"), "--header", str(folder / "k.h")]) == 0
    assert "histogram(int n, const unsigned char *x, int *h)" in (folder / "k.h").read_text()
    return Library.loaded(folder / "k.so").shared, Library(folder / "k.c", {}).shared


@needs_gcc
@pytest.mark.parametrize("name", ["histogram", "counted", "product", "sorted", "moved", "plain"])
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
            "counted": (i.ctypes.data,),
            "product": (starts.ctypes.data, d.ctypes.data),
            "sorted": (i.ctypes.data + 4 * apart,),
            "moved": (i.ctypes.data, d.ctypes.data, d.ctypes.data + 8 * apart),
            "plain": (d.ctypes.data,),
        }[name]
        function = getattr(library, name)
        function.restype = ctypes.c_double if name == "product" else ctypes.c_int if name == "counted" else None
        left.append((function(n, *map(ctypes.c_void_p, given)), b.tobytes(), d.tobytes(), i.tobytes()))
    assert left[0] == left[1]
