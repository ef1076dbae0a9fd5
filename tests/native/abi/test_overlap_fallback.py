"""Guarded functions as C calls them: where arrays overlap, they do what the compiler makes of the source."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from raising.commands.compile_command import main as raise_compile
from raising.commands.raise_command import main as raise_
from raising.emit.versioning import guarded
from raising.frontend.c import COptions, convert
from tests.c.gcc import Library, needs_gcc

pytestmark = needs_gcc

SOURCE = """
static float table[6] = {1, 2, 3, 4, 5, 6};
float state[64];
void scaled(int n, float *dst, const float *src) { for (int q = 0; q < n; q++) dst[q] = src[q] * table[q % 6]; }
void twice(int n, float *a, float *b) {
  for (int i = 0; i < n; i++) a[i] = b[i] + 1;
  for (int i = 0; i < n; i++) b[i] = a[i] * 2;
}
void reversed(int n, float *a, const float *b) { for (int i = 0; i < n; i++) a[i] = b[n - 1 - i]; }
float sum(int n, float *a, const float *b) {
  float s = 0;
  for (int i = 0; i < n; i++) { a[i] = b[i] + s; s += a[i] * 0.5f; }
  return s;
}
void product(int n, float *c, const float *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * a[k * n + j];
      c[i * n + j] = s;
    }
}
void kept(int n, float *a, float *b) { for (int i = 0; i < n; i++) { a[i] = b[i]; state[i] = a[i] + b[i]; } }
void doubled(int n, float *a, const float *b) {
  float t[8] = {1, 2, 1, 2, 1, 2, 1, 2};
  for (int i = 0; i < n; i++) a[i] = b[i] * t[i & 7];
}
"""
NAMES = ("scaled", "twice", "reversed", "sum", "product", "kept", "doubled")
FIRST = 60  # where the second array begins in the one buffer of a call


Libraries = tuple[Library, Library]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    """The source by `raise --guard | raise-compile`, without the search, and by gcc."""
    folder = tmp_path_factory.mktemp("guards")
    (folder / "k.c").write_text(SOURCE)
    read = convert(SOURCE, "k.c", COptions(guard=True))
    assert not read.refused
    (folder / "k.mlir").write_text(guarded(read.mlir, read.guards))
    assert raise_compile([str(folder / "k.mlir"), "-o", str(folder / "k.so"), "--header", str(folder / "k.h")]) == 0
    assert "float *dst, const float *src" in (folder / "k.h").read_text()  # neither is `restrict`
    return Library.loaded(folder / "k.so"), Library(folder / "k.c", {})


def called(library: Library, name: str, n: int, at: int) -> bytes:
    """All memory after a call on two arrays in one buffer, the first one at `at`, and what is returned."""
    buffer = np.random.default_rng(1).integers(-3, 4, 3000).astype(np.float32)
    state = (ctypes.c_float * 64).in_dll(library.shared, "state")
    state[:] = [0.0] * 64
    arrays = [buffer[at:], buffer[FIRST:]]
    *_, result = library.call(name, [np.int32(n), *arrays], "float32" if name == "sum" else None, copied=False)
    return buffer.tobytes() + bytes(state) + (np.float32(result).tobytes() if name == "sum" else b"")


@pytest.mark.parametrize("name", NAMES)
def test_every_distance(name: str, libraries: Libraries) -> None:
    ours, theirs = libraries
    calls = [(n, at) for n in (-1, 0, 1, 2, 5, 33) for at in (*range(FIRST - 40, FIRST + 41), 1500)]
    assert not [(n, at) for n, at in calls if called(ours, name, n, at) != called(theirs, name, n, at)]


def test_arrays_of_the_file_overlap_arguments(libraries: Libraries) -> None:
    results = []
    for library in libraries:
        state = np.ctypeslib.as_array((ctypes.c_float * 64).in_dll(library.shared, "state"))
        state[:] = np.arange(64)
        library.call("kept", [np.int32(20), state[1:], state[2:]], copied=False)
        results.append(state.tobytes())
    assert results[0] == results[1]


MODULE = """
func.func @f(%a: memref<?xi32>, %b: memref<?xi32>) {
  %three = arith.constant 3 : i32
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xi32>
  affine.for %i = 1 to %n {
    %x = affine.load %b[%i - 1] : memref<?xi32>
    %z = arith.muli %x, %three : i32
    affine.store %z, %a[%i] : memref<?xi32>
  }
  return
}
"""


def test_guards_of_mlir(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").write_text(MODULE)
    assert raise_([str(tmp_path / "k.mlir"), "--guard", "-o", str(tmp_path / "r.mlir")]) == 0
    assert "linalg" in (tmp_path / "r.mlir").read_text()
    assert raise_compile([str(tmp_path / "r.mlir"), "-o", str(tmp_path / "k.so")]) == 0
    f = ctypes.CDLL(str(tmp_path / "k.so")).f
    for at in range(20):
        memory = np.arange(40, dtype=np.int32)
        expected, n, b = memory.copy(), 9, 10
        for i in range(1, n):
            expected[at + i] = expected[b + i - 1] * np.int32(3)
        first = memory.ctypes.data
        f(ctypes.c_void_p(first + 4 * at), ctypes.c_int64(n), ctypes.c_void_p(first + 4 * b), ctypes.c_int64(n))
        assert memory.tolist() == expected.tolist(), at
