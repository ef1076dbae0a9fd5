"""A form that agrees with the loops only on the border of a region of the parameters does not stand in it."""

import numpy as np
import pytest

from raising.commands.compile_command import main as raise_compile
from raising.commands.raise_command import main as raise_
from tests.c.gcc import Library, needs_gcc

SOURCE = """
void tail(int n, int s, int *x) { for (int i = n - s; i < n; i++) if (i >= 0) x[i] = 0; }
void head(int n, int s, int *x) { for (int i = 0; i < n; i++) if (i < s) x[i] = i; }
void moved(int n, int s, int *x) {
  for (int i = 0; i + s < n; i++) x[i] = x[i + s]; for (int i = n - s; i < n; i++) if (i >= 0) x[i] = 0; }
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    folder = tmp_path_factory.mktemp("regions")
    (folder / "k.c").write_text(SOURCE)
    assert raise_([str(folder / "k.c"), "--guard", "--check", "field", "-o", str(folder / "k.mlir")]) == 0
    assert raise_compile([str(folder / "k.mlir"), "-o", str(folder / "k.so")]) == 0
    return Library.loaded(folder / "k.so"), Library(folder / "k.c", {})


@needs_gcc
@pytest.mark.parametrize("name", ["tail", "head", "moved"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_as_gcc(name: str, n: int, libraries: tuple[Library, Library]) -> None:
    for s in range(-2, 11):
        memory = np.arange(30, dtype=np.int32) - 99
        found = [library.call(name, [np.int32(n), np.int32(s), memory])[2].tolist() for library in libraries]
        assert found[0] == found[1], s
