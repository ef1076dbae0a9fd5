"""`do` runs its body once before it asks: what is raised holds where its condition agrees, and this is tested."""

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc

pytestmark = needs_gcc

SOURCE = """
void up(int n, int *a) { int i = 0; do { a[i] += 3; i++; } while (i < n); }
void down(int n, int *a) { int i = n; do { a[--i] = 7; } while (i > 0); }
void known(int n, int *a) { int i = 0; do { a[i] += 3; i++; } while (i < 5); }
void inside(int n, int *a) { if (n > 0) { int i = 0; do { a[i] += 3; i++; } while (i < n); } }
void rows(int n, int *a) {
  for (int j = 0; j < 3; j++) { int i = 0; do { a[j * 9 + i] = j; i++; } while (i < n); }
}
void two(int n, int *a) { int i = 0; do { a[i] = i; i++; } while (i < n && i < 4); }
void differ(unsigned n, int *a) { unsigned i = 0; do { a[i] = 1; } while (++i < n); }
"""
NAMES = ("up", "down", "known", "inside", "rows", "two", "differ")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return guarded_and_gcc(SOURCE, tmp_path_factory.mktemp("do"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [-3, 0, 1, 2, 5, 8])
def test_as_gcc(name: str, n: int, libraries: tuple[Library, Library]) -> None:
    if name == "differ" and n < 0:
        return
    found = []
    for library in libraries:
        memory = np.arange(100, dtype=np.int32)
        library.call(name, [np.int32(n), memory[40:]], copied=False)
        found.append(memory.tolist())
    assert found[0] == found[1]


def test_it_is_assumed_only_where_it_is_not_known() -> None:
    said = [a.reason for a in convert(SOURCE, "k.c", COptions()).assumptions]
    assumed = [reason.split("'")[1] for reason in said if "n >= 1: 'do'" in reason]
    assert assumed == [name for name in NAMES if name not in ("known", "inside")]


def test_a_bound_of_an_outer_loop_that_it_does_not_reach() -> None:
    text = "void f(int n, int *a) { for (int j = 0; j < n; j++) { int i = 0; do { a[i] += j; i++; } while (i < j); } }"
    read = convert(text, "k.c", COptions())
    assert "'do'" in read.refused[0].reason
