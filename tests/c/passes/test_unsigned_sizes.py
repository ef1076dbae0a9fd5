"""Sizes of 64 bits without sign: that they are below 2^63 is assumed where no memory says so, and tested."""

import numpy as np
import pytest

from raising.frontend.c import convert
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc

SOURCE = """
typedef unsigned long size;
void one(size n, size m, double *restrict a, double *restrict b) { for (int i = 0; i < 3; i++) if (i < n) a[i] = i; }
void early(size n, size m, double *restrict a, double *restrict b) {
  if (n < 4) return; for (size i = 0; i < m; i++) a[i] *= 2; }
void half(size n, size m, double *restrict a, double *restrict b) {
  for (size i = 0; i < m; i++) if (i < n / 2) a[i] = 1; }
void least(size n, size m, double *restrict a, double *restrict b) {
  size k = n < m ? n : m; for (size i = 0; i < k; i++) a[i] += i; }
void again(size n, size m, double *restrict a, double *restrict b) {
  for (size t = 0; t < m; t++) { a[t] = 3; if (t < n) a[t + 7] = t; } }
void number(size n, size m, double *restrict a, double *restrict b) { for (size i = 0; i < m; i++) a[i] = n; }
void part(size n, size m, double *restrict a, double *restrict b) { for (size i = 0; i < n; i++) if (i < m) a[i] = 5; }
void fill(size n, size m, double *restrict a, double *restrict b) { for (size i = 0; i < n; i++) a[i] = 1; }
void rows(size n, size m, double *restrict a, double *restrict b) {
  for (size i = 0; i < n; i++) for (size j = 0; j < m; j++) {
  double s = 0; for (size k = 0; k < n; k++) s += k; a[i * m + j] = s; }
}
void blur(size n, size m, double *restrict a, double *restrict b) {
  for (size y = 1; y + 1 < n; y++) for (size x = 1; x + 1 < m; x++)
    a[y * m + x] = b[y * m + x - 1] + b[(y - 1) * m + x];
}
"""
ASSUMED = {
    "one": {"n"},
    "early": {"n"},
    "half": {"n", "m"},
    "least": {"n", "m"},
    "again": {"n"},
    "number": set(),
    "part": {"n", "m"},
    "fill": set(),
    "rows": set(),
    "blur": set(),
}
HUGE = {"one", "early", "half", "least", "again", "number"}


def test_it_is_assumed_only_where_memory_does_not_say_so() -> None:
    read = convert(SOURCE, "k.c")
    assert not read.refused
    said = [a.reason for a in read.assumptions if "< 2^63: it is a size" in a.reason]
    assert {name: {s.split()[2] for s in said if f"'{name}'" in s} for name in ASSUMED} == ASSUMED


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return guarded_and_gcc(SOURCE, tmp_path_factory.mktemp("sizes"))


@needs_gcc
@pytest.mark.parametrize("name", ASSUMED)
@pytest.mark.parametrize("n", [0, 1, 5, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 5, 2**64 - 1])
def test_as_gcc(name: str, n: int, libraries: tuple[Library, Library]) -> None:
    if n > 5 and name not in HUGE:
        return
    for m in (0, 1, 5):
        memory = np.arange(100.0)
        found = [library.call(name, [np.uint64(n), np.uint64(m), memory, memory + 7])[2] for library in libraries]
        np.testing.assert_array_equal(*found)
