"""Functions with a test at run time: their signatures, and what they do where arrays overlap."""

from pathlib import Path

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc

FIELD = "struct s { unsigned at; int n; double *x; }; int f(struct s *p) { return p->at; }"
MASKED = """void f(int n, const unsigned *at, const float *x, float *o) {
  for (int i = 0; i < n; i++) o[i] = 2 * x[at[i] & 15];
}"""
LOADED = """void f(int n, const unsigned *at, const float *x, float *o) {
  for (int i = 0; i < n; i++) o[i] = 2 * x[at[i]];
}"""
COUNTED = """void f(int n, const unsigned *at, const float *x, float *o) {
  int k = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) if (j == i) o[i] = 2 * x[k++]; else k += 0;
}"""
POSITIONS_MOVE = """void f(int n, int *restrict at, const float *x, float *o) {
  for (int i = 0; i < n; i++) { at[i + 1] += 1; o[i] = x[at[i]]; }
}"""


def test_a_field_that_is_only_returned() -> None:
    read = convert(FIELD, "k.c", COptions(guard=True))
    assert not read.refused
    assert "@f.original(%p_at: i32) -> i32" in read.guards


@needs_gcc
@pytest.mark.parametrize("text", [MASKED, LOADED, COUNTED])
def test_positions_that_are_data(text: str, tmp_path: Path) -> None:
    """What is read overlaps what is written, in front, behind and not at all, also where no iteration runs."""
    ours, theirs = guarded_and_gcc(text, tmp_path)
    for n in (-1, 0, 1, 2, 7, 13):
        for x, o in ((64, 64), (64, 63), (64, 66), (64, 200), (200, 64), (64, 80), (64, 79)):
            assert _memory(ours, n, x, o).tobytes() == _memory(theirs, n, x, o).tobytes(), (n, x, o)


def _memory(library: Library, n: int, x: int, o: int) -> np.ndarray:
    """The memory behind a call with arrays at these elements; positions are in 0 … 15."""
    random = np.random.default_rng(n + 1)
    memory, at = random.random(300).astype("f4"), random.integers(0, 16, 16).astype("u4")
    library.call("f", [np.int32(n), at, memory[x:], memory[o:]], copied=False)
    return memory


def test_positions_that_change_in_the_loops_are_not_tested() -> None:
    (refused,) = convert(POSITIONS_MOVE, "k.c", COptions(guard=True)).refused
    assert "changes in the same loops" in refused.reason or "cannot be tested at run time" in refused.reason
