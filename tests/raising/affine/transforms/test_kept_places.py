"""What loops keep of earlier iterations, and branches that guard a division: raised whole, and equal to gcc."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.native.foreign_call import Compiled
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops, without_fallbacks

HEAD = "#include <limits.h>\n"
BODIES = {
    "last": "int k = -1; for (int i = 0; i < n; i++) if (a[i] == 0) k = i; o[0] = k;",
    "last, shifted": "int k = o[1]; for (int i = 2; i < n; i++) if (a[i] < a[i - 1]) k = i + 3; o[0] = k;",
    "last, kept elsewhere": "int k = 7; for (int i = 0; i < n; i++) k = a[i] > 0 ? k : i; o[0] = k;",
    "a flag": "int k = 0; for (int i = 0; i < n; i++) if (a[i] > 1) k = 5; o[0] = k;",
    "of each row": "for (int r = 0; r < 3; r++) { int k = -1; for (int i = 0; i < n; i++) if (a[i] > r) k = i;"
    " o[r] = k; }",
    "one before": "int p = 4; for (int i = 0; i < n; i++) { o[i] = a[i] - p; p = a[i]; }",
    "two before": "int p = 4, q = -1; for (int i = 0; i < n; i++) { o[i] = a[i] + 2 * p - q; q = p; p = a[i]; }",
    "divided": "for (int i = 0; i < n; i++) o[i] = a[i] > 0 ? b[i] / a[i] : -1;",
    "remainder": "for (int i = 0; i < n; i++) { o[i] = 3; if (a[i] != 0 && a[i] != -1) o[i] = b[i] % a[i]; }",
    "otherwise": "for (int i = 0; i < n; i++) o[i] = a[i] == 0 ? 9 : 100 / a[i];",
}
NAMES = {key: f"f{number}" for number, key in enumerate(BODIES)}
TEXTS = {k: f"void {NAMES[k]}(int n, const int *a, const int *b, int *restrict o) {{ {BODIES[k]} }}\n" for k in BODIES}
NEGATIVE = (-2, 0, 1, 2, 3, 8)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """All of them, compiled by gcc."""
    path = tmp_path_factory.mktemp("kept") / "k.c"
    path.write_text(HEAD + "".join(TEXTS.values()))
    return Library(path, {})


@needs_gcc
@pytest.mark.parametrize("key", BODIES)
def test_no_loop_is_left_and_all_is_as_gcc_has_it(key: str, library: Library) -> None:
    text = convert(HEAD + TEXTS[key], "k.c", COptions()).mlir
    result = raise_module(text, options=RaiseOptions(check="proof"))
    assert not loops(without_fallbacks(result.text)), result.remarks
    assert type(result.functions[0].verdict).__name__ == "Proved" or key == "last, shifted"
    beside = Beside(library, result.text, NAMES[key])
    for n in NEGATIVE:
        for seed in range(4):
            rng = np.random.default_rng([n + 9, seed])
            a, b, o = (rng.integers(-2, 3, max(n, 0) + 4).astype(np.int32) for _ in range(3))
            b[:2] = -(2**31)  # over -1 it has no quotient
            if key == "divided":
                a = np.abs(a) - (a == 2)
            assert not beside.difference([np.int32(n), a, b, o]), (n, seed)


SHORT = """int last(int n, const int *a) {
  unsigned short k = 3; for (unsigned short i = 0; i < n; i++) if (a[i] > 3) k = i; return k; }
int largest(int n, const int *a) {
  int m = 0; unsigned short k = 3; for (unsigned short i = 0; i < n; i++) if (a[i] > m) { m = a[i]; k = i; } return k; }
"""


@needs_gcc
@pytest.mark.parametrize("name", ["last", "largest"])
def test_places_without_a_sign(name: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(SHORT)
    text = raise_module(convert(SHORT, "k.c", COptions()).mlir, options=RaiseOptions(check="proof")).text
    a = np.zeros(40_000, np.int32)
    a[[100, -5]] = 11, 9
    assert not Beside(Library(tmp_path / "k.c", {}), text, name).difference([np.int32(a.size), a], "int32")


TRIANGLE = """int f(int n, const int *a, int *restrict o) {
  int l = 5; for (int j = 0; j < n; j++) { for (int i = j; i < n; i++) { o[i] = l; l = a[i]; } l = a[j]; } return l; }
"""


@needs_gcc
def test_delays_in_loops_of_other_lengths(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(TRIANGLE)
    result = raise_module(convert(TRIANGLE, "k.c", COptions()).mlir, options=RaiseOptions(check="proof"))
    assert not [r for r in result.remarks if "internal error" in str(r)]
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    for n in (-1, 0, 1, 2, 5):
        assert not beside.difference([np.int32(n), np.arange(9, dtype=np.int32), np.zeros(9, np.int32)], "int32"), n


LINES = """int f(int n, const int *restrict x, int *restrict o) {
  int a = 5, b = 7, c = 9;
  for (int i = 0; i < n; i++) { o[i] = x[i] - c + 10 * b - 100 * a; a = b; b = c; c = x[i]; }
  return a + 10 * b + 100 * c; }
"""


@needs_gcc
def test_cells_that_hand_on_what_they_hold_share_an_array(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(LINES)
    result = raise_module(convert(LINES, "k.c", COptions()).mlir, options=RaiseOptions(check="proof"))
    assert "linalg.sub" in result.text and "scf.for" not in result.text
    beside = Beside(Library(tmp_path / "k.c", {}), result.text, "f")
    for n in (-3, -1, 0, 1, 2, 3, 4, 40):
        x = np.arange(50, dtype=np.int32) ** 2
        assert not beside.difference([np.int32(n), x, np.zeros(50, np.int32)], "int32"), n


LAST = """func.func @f(%n: index, %x: memref<?xf64>) -> (index, i32) {
  %none = arith.constant -1 : index
  %zero = arith.constant 0.0 : f64
  %r = affine.for %i = 0 to %n iter_args(%k = %none) -> (index) {
    %a = affine.load %x[%i] : memref<?xf64>
    %c = arith.cmpf olt, %a, %zero : f64
    %l = arith.select %c, %i, %k : index
    affine.yield %l : index
  }
  %s = arith.index_cast %r : index to i32
  return %r, %s : index, i32
}
"""
PAIR = """func.func @f(%x: memref<9xf64>) -> (f64, index) {
  %c3 = arith.constant 3 : index
  %first = affine.load %x[3] : memref<9xf64>
  %r:2 = affine.for %i = 1 to 9 iter_args(%m = %first, %k = %c3) -> (f64, index) {
    %a = affine.load %x[%i] : memref<9xf64>
    %c = arith.cmpf RELATION, %a, %m : f64
    %n = arith.select %c, %a, %m : f64
    %l = arith.select %c, %i, %k : index
    affine.yield %n, %l : f64, index
  }
  return %r#0, %r#1 : f64, index
}
"""
GUARDED = """func.func @f(%n: index, %flag: i32, %x: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2 : i32
  %c = arith.cmpi sgt, %flag, %two : i32
  scf.if %c {
    affine.for %i = 0 to %n {
      %a = affine.load %x[%i] : memref<?xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %x[%i] : memref<?xf64>
    }
  }
  %s = affine.for %i = 0 to %n iter_args(%t = %zero) -> (f64) {
    %a = affine.load %x[%i] : memref<?xf64>
    %p = arith.cmpf ogt, %a, %zero : f64
    %u = scf.if %p -> (f64) {
      %v = arith.addf %t, %a : f64
      scf.yield %v : f64
    } else {
      scf.yield %t : f64
    }
    affine.yield %u : f64
  }
  return %s : f64
}
"""
DIVIDED = """func.func @f(%x: memref<9xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 9 {
    %a = affine.load %x[%i] : memref<9xf64>
    %c = arith.cmpf une, %a, %zero : f64
    scf.if %c {
      %p = arith.fptosi %a : f64 to i32
      %ten = arith.constant 10 : i32
      %q = arith.divsi %ten, %p : i32
      %y = arith.sitofp %q : i32 to f64
      affine.store %y, %x[%i] : memref<9xf64>
    }
  }
  return
}
"""
DRAWN = map(np.random.default_rng, range(12))
VALUES: list[list[Any]] = [[np.array(rng.integers(-2, 3, 9), dtype=float)] for rng in DRAWN]
SIZED: list[list[Any]] = [[n, *values] for n in (0, 1, 5, 9) for values in VALUES[:4]]
GIVEN: dict[str, tuple[str, list[list[Any]]]] = {
    "last": (LAST, SIZED),
    **{relation: (PAIR.replace("RELATION", relation), VALUES) for relation in ("ogt", "oge", "olt", "ole")},
    "divided": (DIVIDED, VALUES),
    "guarded": (GUARDED, [[n, flag, x.copy()] for n, x in SIZED for flag in (2, 3)]),
}


@pytest.mark.parametrize("key", GIVEN)
def test_places_and_guards_of_mlir(key: str) -> None:
    text, calls = GIVEN[key]
    result = raise_module(text, options=RaiseOptions(check="field"))
    assert not loops(without_fallbacks(result.text)), result.remarks
    before, after = Compiled(text, "f"), Compiled(result.text, "f")
    for call in calls:
        copies = [[v.copy() if isinstance(v, np.ndarray) else v for v in call] for _ in range(2)]
        want, got = before.call(copies[0]).results, after.call(copies[1]).results
        assert [float(v) for v in want] == [float(v) for v in got], call
        assert all(np.array_equal(a, b) for a, b in zip(*copies, strict=True))


VIEWED = """func.func @f(%p: index, %x: memref<20xf64>, %o: memref<20xf64>) {
  %s = memref.subview %x[2] [9] [1] : memref<20xf64> to memref<9xf64, strided<[1], offset: 2>>
  %t = memref.subview %s[%p] [4] [1]
    : memref<9xf64, strided<[1], offset: 2>> to memref<4xf64, strided<[1], offset: ?>>
  affine.for %i = 0 to 4 {
    %v = affine.load %t[%i] : memref<4xf64, strided<[1], offset: ?>>
    affine.store %v, %o[%i] : memref<20xf64>
    affine.store %v, %s[%i] : memref<9xf64, strided<[1], offset: 2>>
  }
  return
}
"""


def test_loops_over_views_are_loops_over_their_memory() -> None:
    result = raise_module(VIEWED, options=RaiseOptions(check="proof"))
    before, after = Compiled(VIEWED, "f"), Compiled(result.text, "f")
    for p in range(6):  # at 0 to 3 what is stored is read later
        calls: list[list[Any]] = [[p, np.arange(20.0), np.zeros(20)] for _ in range(2)]
        before.call(calls[0])
        after.call(calls[1])
        assert np.array_equal(calls[0][1], calls[1][1]), p
        assert np.array_equal(calls[0][2], calls[1][2]), p
