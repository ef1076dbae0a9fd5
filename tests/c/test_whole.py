"""Functions that are no loops over arrays, written as C has them (`--whole`): a file is compiled as a whole."""

from __future__ import annotations

import ctypes
from pathlib import Path

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


FILTER = """
struct bq { float b0, b1, b2, a1, a2, z1, z2; };
struct bq common;
void filtered(struct bq *s, const float *x, float *y, int n) {
  for (int i = 0; i < n; i++) {
    float out = x[i] * s->b0 + s->z1;
    s->z1 = x[i] * s->b1 + s->z2 - s->a1 * out;
    s->z2 = x[i] * s->b2 - s->a2 * out;
    y[i] = out;
  }
}
void by_common(const float *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * common.b0; }
void by_value(struct bq s, const float *x, float *y, int n) {
  for (int i = 0; i < n; i++) { y[(int)x[i] & 7] = x[i] * s.b1; s.b1 += 1; }
}
void product(const double _Complex *x, double _Complex *y, int n) { for (int i = 0; i < n; i++) y[i] *= x[i]; }
int counted(const double _Complex *x, const int *at, double _Complex *y, int n) {
  for (int i = 0; i < n; i++) y[at[i]] *= x[i];
  return n;
}
"""


@needs_gcc
def test_fields_are_read_where_c_reads_them(tmp_path: Path) -> None:
    """Where memory that is written may be that of a struct's fields, also of a variable of the file."""
    read = convert(FILTER, "k.c", COptions(guard=True, whole=True))
    reasons = {r.reason.split("'")[1]: r.reason for r in read.refused}
    assert all("is written as it is" in reasons[name] for name in ("filtered", "by_common", "by_value"))
    assert all("stays in C" in reasons[name] for name in ("product", "counted"))
    (tmp_path / "k.c").write_text(FILTER)
    (tmp_path / "k.mlir").write_text(guarded(read.mlir, read.guards))
    assert raise_compile([str(tmp_path / "k.mlir"), "--fp", "strict", "-o", str(tmp_path / "k.so")]) == 0
    libraries = Library.loaded(tmp_path / "k.so").shared, Library(tmp_path / "k.c", {}).shared
    for apart in (0, 1, 3, 5, 6, 7, 20):
        left = []
        for library in libraries:
            x = (np.arange(64) / 4 + 1).astype(np.float32)
            start = x.ctypes.data
            library.filtered(*map(ctypes.c_void_p, (start, start + 160, start + 4 * apart)), 5)
            common = (ctypes.c_float * 7).in_dll(library, "common")
            common[:] = [2.0, 1, 1, 1, 1, 1, 1]
            library.by_common(ctypes.c_void_p(start), ctypes.byref(common), 4)
            left.append((x.tobytes(), bytes(common)))
        assert left[0] == left[1], apart


def test_what_is_assumed_of_a_function_as_c_has_it_is_said() -> None:
    """Without tests at run time, what nothing could test is a remark."""
    read = convert(FILTER, "k.c", COptions(whole=True))
    assert "counted" in [r.reason.split("'")[1] for r in read.refused if "is written as it is" in r.reason]
    said = [r.reason for r in read.remarks]
    assert "assumed in 'counted': no product of complex numbers is a NaN in both parts" in said
