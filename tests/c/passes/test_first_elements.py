"""Memory in front of where a pointer points: that it is not used is assumed where bounds do not say so, and tested."""

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
"""
ASSUMED = {
    "shift": {"x"},
    "delayed": {"x"},
    "between": {"x"},
    "ends": {"y"},
    "known": set(),
    "swapped": set(),
    "rows": set(),
}


def test_it_is_assumed_only_where_bounds_do_not_say_so() -> None:
    read = convert(SOURCE, "k.c")
    assert not read.refused
    said = [a.reason.split("'") for a in read.assumptions if "in front of" in a.reason]
    assert {name: {words[3] for words in said if words[1] == name} for name in ASSUMED} == ASSUMED


def test_what_is_always_in_front_stays_in_c() -> None:
    text = "void f(int n, int *x) { x[-1] = 0; for (int i = 0; i < n; i++) x[i] = 1; }"
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
