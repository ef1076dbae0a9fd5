"""A form that agrees with the loops only on the border of a region of the parameters does not stand in it."""

import numpy as np
import pytest

from raising import raise_module
from raising.commands.compile_command import main as raise_compile
from raising.commands.raise_command import main as raise_
from tests.c.gcc import Library, needs_gcc
from tests.raising.running import execute

SOURCE = """
void tail(int n, int s, int *x) { for (int i = n - s; i < n; i++) if (i >= 0) x[i] = 0; }
void head(int n, int s, int *x) { for (int i = 0; i < n; i++) if (i < s) x[i] = i; }
void moved(int n, int s, int *x) {
  for (int i = 0; i + s < n; i++) x[i] = x[i + s]; for (int i = n - s; i < n; i++) if (i >= 0) x[i] = 0; }
void first(int n, int s, int *x) { for (int i = 0; i <= n; i++) x[i + 9] = x[i + 18] * x[1 + 9]; }
void odd(int n, int s, int *x) {
  for (int k = n - 1; k >= 0; k--) for (int i = 0; i < n; i += 2) x[i] = x[k] * (x[i] + s); }
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    folder = tmp_path_factory.mktemp("regions")
    (folder / "k.c").write_text(SOURCE)
    assert raise_([str(folder / "k.c"), "--guard", "--check", "field", "-o", str(folder / "k.mlir")]) == 0
    assert raise_compile([str(folder / "k.mlir"), "-o", str(folder / "k.so")]) == 0
    return Library.loaded(folder / "k.so"), Library(folder / "k.c", {})


@needs_gcc
@pytest.mark.parametrize("name", ["tail", "head", "moved", "first", "odd"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_as_gcc(name: str, n: int, libraries: tuple[Library, Library]) -> None:
    for s in range(-2, 11):
        memory = np.arange(30, dtype=np.int32) - 99
        found = [library.call(name, [np.int32(n), np.int32(s), memory])[2].tolist() for library in libraries]
        assert found[0] == found[1], s


WIDENED = """func.func @f(%n: index, %a: memref<8xi64>, %b: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %x = memref.load %a[%i] : memref<8xi64>
    %one = arith.constant 1 : i32
    %w = arith.OP %one : i32 to i64
    %c = arith.cmpi eq, %x, %w : i64
    %y = memref.load %b[%i] : memref<?xi64>
    %z = arith.addi %y, %w : i64
    %r = arith.select %c, %z, %y : i64
    memref.store %r, %b[%i] : memref<?xi64>
  }
  return
}"""


@pytest.mark.parametrize("op", ["extsi", "extui"])
def test_a_constant_at_another_width_is_met(op: str) -> None:
    text = WIDENED.replace("OP", op)
    raised = raise_module(text, check="field").text
    assert "affine.for" not in raised
    given = [np.int64(8), np.array([0, 1, 1, 2, 1, -1, 3, 1]), np.arange(8)]
    for got, wanted in zip(execute(raised, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_array_equal(got, wanted)
