"""Memory in front of where a pointer points: passed where its length is known, else assumed not to be used."""

import ctypes

import numpy as np
import pytest

from raising.commands.compile_command import main as raise_compile
from raising.commands.raise_command import main as raise_
from raising.frontend.c import convert
from tests.c.gcc import Library, needs_gcc

SOURCE = """
void shift(int n, int s, int *x, int *restrict y) { for (int i = n - 1; i >= s; i--) x[i] = x[i - s]; }
void delayed(int n, int s, int *x, int *restrict y) { for (int i = 0; i < n; i++) y[i] = x[i - s]; }
void between(int n, int s, int *x, int *restrict y) { for (int i = s; i < n; i++) x[i] = -x[i]; }
void ends(int n, int s, int *x, int *restrict y) { for (int i = 0; i < n; i++) y[i] = x[i]; y[n - 1] = s; }
void known(int n, int s, int *x, int *restrict y) { for (int i = s; i < n; i++) if (i >= 0) x[i] = 7; }
void swapped(int n, int s, int *x, int *restrict y) {
  for (int i = 0, j = n - 1; i < j; i++, j--) { int t = x[i]; x[i] = x[j]; x[j] = t; } }
void rows(int n, int s, int *x, int *restrict y) {
  for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) y[i * n + j] = x[(i - 1) * n + j]; }
void history(int n, int s, int *x, int *restrict y) { for (int i = 0; i < n; i++) y[i] = x[i - 1] - 2 * x[i - 3] + s; }
void behind(int n, int s, int *x, int *restrict y) { for (int i = 0; i < n; i++) y[i - 2] = x[i] + s; y[-5] = 1; }
void halves(int n, int s, int *x, int *restrict y) {
  for (int i = 0; i < n; i++) { int t = x[2 * i] * s; for (int k = 0; k < 3; k++) t += x[2 * i - 2 * k - 1];
    y[i] = t; } }
void backwards(int n, int s, int *x, int *restrict y) { for (int i = 0; i < 6; i++) y[-i] = x[i - 6] + s; }
void given(int n, int s, int *x, int *restrict y) {
  if (!x || !y) return; for (int i = 0; i < n; i++) y[i] = x[i - 1]; }
void both(int n, int s, int *x, int *restrict y) { for (int i = 0; i < n; i++) x[i - 1] = x[i] + s; }
struct line { int gain; int *past; };
void held(int n, int s, struct line *l, int *restrict y) {
  for (int i = 0; i < n; i++) y[i] = l->gain * l->past[i - 2]; }
"""
ASSUMED = {
    "shift": {"x"},
    "delayed": {"x"},
    "between": {"x"},
    "ends": {"y"},
    "known": set(),
    "swapped": set(),
    "rows": set(),
    "history": set(),
    "behind": set(),
    "halves": set(),
    "backwards": set(),
    "given": set(),
    "both": set(),
}


def test_it_is_assumed_only_where_bounds_do_not_say_so() -> None:
    read = convert(SOURCE, "k.c")
    assert not read.refused
    said = [a.reason.split("'") for a in read.assumptions if "in front of" in a.reason]
    assert {name: {words[3] for words in said if words[1] == name} for name in ASSUMED} == ASSUMED


def test_what_is_always_in_front_of_memory_stays_in_c() -> None:
    text = "struct s { int w[9]; }; void f(struct s *p) { p->w[-1] = 0; for (int i = 0; i < 9; i++) p->w[i] = 1; }"
    assert "'p_w' is used in front of where it points" in convert(text, "k.c").refused[0].reason
    text = "void f(int n, int *x) { x[-5000] = 0; for (int i = 0; i < n; i++) x[i] = 1; }"
    assert "'x' is used in front of where it points" in convert(text, "k.c").refused[0].reason


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    folder = tmp_path_factory.mktemp("first")
    (folder / "k.c").write_text(SOURCE)
    assert raise_([str(folder / "k.c"), "--guard", "-o", str(folder / "k.mlir")]) == 0
    assert raise_compile([str(folder / "k.mlir"), "-o", str(folder / "k.so")]) == 0
    return Library.loaded(folder / "k.so"), Library(folder / "k.c", {})


@needs_gcc
@pytest.mark.parametrize("name", ASSUMED)
@pytest.mark.parametrize("s", [-9, -2, -1, 0, 1, 2, 9])
def test_as_gcc(name: str, s: int, libraries: tuple[Library, Library]) -> None:
    for n in (-3, 0, 1, 2, 6):
        found = []
        for library in libraries:
            memory = np.arange(200, dtype=np.int32)
            library.call(name, [np.int32(n), np.int32(s), memory[50:], memory[120:]], copied=False)
            found.append(memory.tolist())
        assert found[0] == found[1], n


class _Line(ctypes.Structure):
    _fields_ = (("gain", ctypes.c_int), ("past", ctypes.c_void_p))


@needs_gcc
def test_in_front_of_where_a_field_points(libraries: tuple[Library, Library]) -> None:
    found = []
    for library in libraries:
        memory = np.arange(200, dtype=np.int32)
        line = _Line(3, memory[50:].ctypes.data)
        library.shared.held(7, 0, ctypes.byref(line), ctypes.c_void_p(memory[120:].ctypes.data))
        found.append(memory.tolist())
    assert found[0] == found[1]


@needs_gcc
def test_null_pointers_that_would_be_used_in_front(libraries: tuple[Library, Library]) -> None:
    for library in libraries:
        library.shared.given(5, 0, None, None)
