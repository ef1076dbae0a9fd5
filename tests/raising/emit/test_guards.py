"""`raise --guard` of MLIR: what is assumed of memory is tested at run time; where it does not hold, the loops run."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from raising.api.result import RaiseResult
from raising.pipeline import raise_module
from raising.validate.base.assumption import NO_OVERLAP
from raising.validate.base.verdict import Proved, Unknown, Verdict
from raising.validate.check import CheckOptions, check
from raising.validate.native.foreign_call import Compiled

ADD = """func.func @f(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %x = affine.load %b[%i] : memref<?xf64>
    %y = arith.addf %x, %x : f64
    affine.store %y, %a[%i] : memref<?xf64>
  }
  return
}"""
DISTANCE = """func.func @f(%n: index, %k: index, %a: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %one : f32
    affine.store %y, %a[%i + symbol(%k)] : memref<?xf32>
  }
  return
}"""
FIXED = """func.func @f(%a: memref<9x7xi16>, %b: memref<9x7xi16>, %c: memref<9xi16>) {
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 7 {
      %x = affine.load %b[%i, %j] : memref<9x7xi16>
      %y = affine.load %c[%i] : memref<9xi16>
      %z = arith.muli %x, %y : i16
      affine.store %z, %a[%i, %j] : memref<9x7xi16>
    }
  }
  return
}"""


CAST = """func.func @f(%n: i64, %a: memref<?xf64>, %b: memref<?xf64>) {
  %m = arith.index_cast %n : i64 to index
  affine.for %i = 0 to %m {
    %x = affine.load %a[%i] : memref<?xf64>
    affine.store %x, %b[%i] : memref<?xf64>
  }
  return
}"""


@cache
def _guarded(source: str) -> RaiseResult:
    return raise_module(source, guard=True, check="proof")


@cache
def _compiled(text: str) -> Compiled:
    return Compiled(text, "f")


def _check(source: str, target: str) -> Verdict:
    return check(source, target, CheckOptions(level="proved-all-sizes"))


def _agrees(source: str, *arguments: object) -> None:
    """Assert that the guarded function does what the loops do, on memory that is copied with all views of it."""
    texts, found = (source, _guarded(source).text), []
    for text in texts:
        base = np.arange(1, 61, dtype=np.int64)
        views = [a(base) if callable(a) else a for a in arguments]
        _compiled(text).call(views)
        found.append(base)
    np.testing.assert_array_equal(*found)


def _at(start: int, kind: type, *shape: int) -> object:
    return lambda base: base.view(kind)[start:][: int(np.prod(shape))].reshape(shape)


@pytest.mark.parametrize("source", [ADD, DISTANCE, FIXED], ids=["two arrays", "distance", "numbers"])
def test_a_guarded_function_is_equal_without_an_assumption_about_memory(source: str) -> None:
    result = _guarded(source)
    assert result.complete and "linalg" in result.text
    found = _check(source, result.text)
    assert isinstance(found, Proved)
    assert not {"alias", "bounds", "sizes", "numbers", "extent"} & {a.kind for a in found.assumptions}
    (report,) = result.functions
    assert isinstance(report.verdict, Proved) and report.verdict.assumptions == found.assumptions


@pytest.mark.parametrize("start", [0, 1, 5, 8, 9, 19])
@pytest.mark.parametrize("n", [0, -1, 1, 9])
def test_arrays_that_overlap(start: int, n: int) -> None:
    _agrees(ADD, n, _at(start, np.float64, 9), _at(0, np.float64, 9))
    _agrees(ADD, n, _at(0, np.float64, 9), _at(start, np.float64, 9))


def test_arrays_that_are_shorter_than_the_loops_need() -> None:
    _agrees(ADD, 9, _at(0, np.float64, 3), _at(2, np.float64, 3))  # what lies behind them is there
    _agrees(DISTANCE, 9, 3, _at(0, np.float32, 4))


@pytest.mark.parametrize(("n", "k"), [(9, 1), (9, 8), (9, 9), (9, 12), (0, 3), (-2, 1), (1, 0), (9, 0)])
def test_distances(n: int, k: int) -> None:
    _agrees(DISTANCE, n, k, _at(0, np.float32, 25))


@pytest.mark.parametrize("places", [(0, 63, 126), (0, 62, 126), (0, 0, 126), (0, 63, 8), (63, 0, 63)])
def test_numbers_as_extents(places: tuple[int, int, int]) -> None:
    a, b, c = places
    _agrees(FIXED, _at(a, np.int16, 9, 7), _at(b, np.int16, 9, 7), _at(c, np.int16, 9))


@pytest.mark.parametrize("start", [0, 8, 9])
def test_bounds_that_are_computed_stay_symbols(start: int) -> None:
    """They were moved into the other branch with the loops, where nothing affine may use them."""
    _agrees(CAST, 9, _at(0, np.float64, 9), _at(start, np.float64, 9))


def test_it_says_what_is_tested() -> None:
    said = [r.why for r in _guarded(FIXED).remarks]
    assert [w.partition(": ")[2] for w in said if w.startswith("tested at run time in 'f'")] == [
        "'a' does not overlap 'b'",
        "'a' does not overlap 'c'",
    ]


WRONG = {
    "too few bytes": ("%c8 = arith.constant 8", "%c8 = arith.constant 4"),
    "another branch": ("arith.addf %10, %10", "arith.mulf %10, %10"),
    "another comparison": ("arith.cmpi ule, %3", "arith.cmpi sle, %3"),
    "one way": ("arith.ori %4, %5", "arith.ori %4, %4"),
    "one argument": ("extract_aligned_pointer_as_index %arg2", "extract_aligned_pointer_as_index %arg1"),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_a_test_that_does_not_say_enough_proves_nothing(change: tuple[str, str]) -> None:
    text = _guarded(ADD).text
    head, found, tail = text.rpartition(change[0]) if change[0].startswith("arith.addf") else text.partition(change[0])
    assert found
    assert isinstance(_check(ADD, head + change[1] + tail), Unknown)


def test_a_pair_that_is_not_tested_is_assumed() -> None:
    lines = _guarded(FIXED).text.splitlines()
    (both,) = [line for line in lines if "arith.andi" in line]
    first = both.split("arith.andi ")[1].split(",")[0]
    name = both.split("=")[0].strip()
    text = "\n".join(line.replace(f"scf.if {name} ", f"scf.if {first} ") for line in lines if line != both)
    found = _check(FIXED, text)
    assert isinstance(found, Proved) and NO_OVERLAP in found.assumptions


def test_a_function_on_tensors_is_left_as_it_is() -> None:
    found = raise_module(ADD.replace("memref<?xf64>", "memref<7xf64>"), guard=True, abi="tensor", check="field")
    assert "scf.if" not in found.text and "tensor<7xf64>" in found.text
    assert any("tests nothing" in r.why for r in found.remarks)
