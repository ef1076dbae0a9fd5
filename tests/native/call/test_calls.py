"""Calls from Python: nothing is entered that would leave its arrays at these arguments."""

import re
from typing import Any

import numpy as np
import pytest

import raising
from raising.frontend.c import convert
from raising.native.base.unsupported import CallError
from tests.native.running import isolated

SOURCES = {
    "scale": "void f(int n, double *x, const double *y) { for (int i = 0; i < n; i++) x[i] = 2 * y[i]; }",
    "delayed": "void f(int n, int k, double *a) { for (int i = 0; i < n; i++) a[i + k] = a[i] + 1; }",
    "row": "void f(int p, double a[10][12]) { for (int j = 0; j < 12; j++) a[p][j] += 1; }",
    "lower": "void f(int n, double *A) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i * n + j] = i; }",
    "sums": """\
void f(int n, int m, double A[n][m], double *x) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i] += A[i][j];
}""",
    "unsigned": "void f(unsigned n, double *x) { for (unsigned i = 0; i < n; i++) x[i] = 2; }",
    "third": "void f(int n, double *x) { for (int i = 0; i < n; i += 3) x[i] = 2; }",
    "back": "void f(int n, double *x) { for (int i = n - 1; i >= 0; i--) x[i] = i; }",
    "far": "void f(int n, double *x) { for (int i = 0; i < n; i++) if (i > 5) x[i - 6] = 1; }",
}
Z = np.zeros
GOOD = {
    "scale": [(10, Z(10), Z(10)), (3, Z(10), Z(4)), (0, Z(0), Z(0)), (-5, Z(0), Z(0)), (np.int64(3), Z(3), Z(3))],
    "delayed": [(5, 3, Z(8)), (0, -100, Z(0)), (5, 0, Z(5)), (-1, 7, Z(0))],
    "row": [(0, Z((10, 12))), (9, Z((10, 12)))],
    "lower": [(5, Z((5, 5))), (0, Z((0, 0))), (1, Z((1, 1)))],
    "sums": [(3, 4, Z((3, 4)), Z(3)), (3, 0, Z((3, 0)), Z(0)), (0, 4, Z((0, 4)), Z(0))],
    "unsigned": [(4, Z(4)), (0, Z(0))],
    "third": [(10, Z(10)), (12, Z(10)), (9, Z(7))],
    "back": [(4, Z(4)), (0, Z(0)), (-3, Z(0))],
    "far": [(6, Z(0)), (9, Z(3)), (0, Z(0))],
}
BAD = {
    "scale": [
        ((11, Z(10), Z(10)), "x: f writes x[10], the array has 10 elements (n = 11)"),
        ((11, Z(11), Z(10)), "y: f reads y[10], the array has 10 elements (n = 11)"),
        ((2 * 10**8, Z(5), Z(5)), "x: f writes x[199999999]"),
        ((2**31 - 1, Z(5), Z(5)), "x: f writes x[2147483646]"),
        ((2**40, Z(5), Z(5)), "n: 1099511627776 is not in -2147483648 … 2147483647"),
        ((1.5, Z(5), Z(5)), "n: an integer is needed, not float"),
        (("5", Z(5), Z(5)), "n: an integer is needed, not str"),
    ],
    "delayed": [
        ((5, 4, Z(8)), "a: f writes a[8], the array has 8 elements (n = 5, k = 4)"),
        ((5, -1, Z(8)), "a: f writes a[-1]"),
    ],
    "row": [((10, Z((10, 12))), "a: f writes a[10][…]"), ((-1, Z((10, 12))), "a: f writes a[-1][…]")],
    "lower": [((5, Z((4, 5))), "A: f writes A[4][…], the array has 4x5 elements (n = 5)")],
    "sums": [((3, 4, Z((3, 4)), Z(2)), "x: f writes x[2]"), ((3, 4, Z((3, 5)), Z(3)), "A: the shape is 3x5, not 3x4")],
    "unsigned": [
        ((-1, Z(4)), "n: -1 is not in 0 … 4294967295"),
        ((2**32 - 1, Z(4)), "x: f writes x[4294967294]"),
    ],
    "third": [((13, Z(10)), "x: f writes x[12]"), ((10, Z(9)), "x: f writes x[9]")],
    "back": [((5, Z(4)), "x: f writes x[4]")],
    "far": [((9, Z(2)), "x: f writes x[2]"), ((10, Z(3)), "x: f writes x[3]")],
}


@pytest.fixture(scope="module", params=["loops", "raised"])
def functions(request: pytest.FixtureRequest) -> dict[str, Any]:
    texts = {name: convert(source, "k.c").mlir for name, source in SOURCES.items()}
    if request.param == "raised":
        texts = {name: raising.raise_module(text, check="none").text for name, text in texts.items()}
    return {name: raising.compile(text) for name, text in texts.items()}


def _copies(arguments: tuple[Any, ...]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


@pytest.mark.parametrize("name", SOURCES)
def test_what_fits_is_called_and_what_does_not_fit_is_an_error(name: str, functions: dict[str, Any]):
    for arguments in GOOD[name]:
        isolated(lambda given=arguments: functions[name](*_copies(given)))
    for arguments, told in BAD[name]:
        given = _copies(arguments)
        with pytest.raises(CallError, match=re.escape(told)):
            functions[name](*given)
        assert all((a == b).all() for a, b in zip(given, arguments, strict=True) if isinstance(a, np.ndarray))


def test_arrays_that_overlap_are_an_error(functions: dict[str, Any]):
    x = np.arange(10.0)
    for pair in ((x, x), (x[:5], x[4:9])):
        with pytest.raises(CallError, match="overlap in memory"):
            functions["scale"](5, *pair)
    functions["scale"](5, x[:5], x[5:])
    assert x.tolist() == [10, 12, 14, 16, 18, 5, 6, 7, 8, 9]


SLICE = """
func.func @head(%x: tensor<?xf64>, %n: index) -> tensor<?xf64> {
  %s = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf64> to tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r = linalg.add ins(%s, %s : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
"""


def test_a_result_is_given_an_array_of_its_extent():
    head, x = raising.compile(SLICE), np.arange(5.0)
    out = np.zeros(3)
    head(x, 3, out=[out])
    assert out.tolist() == [0, 2, 4]
    for n, size, told in ((6, 6, "head reads"), (3, 2, "the shape is 2, not 3"), (3, 4, "the shape is 4, not 3")):
        with pytest.raises(CallError, match=told):
            head(x, n, out=[np.zeros(size)])


SCATTER = """
func.func @scatter(%i: memref<4xi64>, %x: memref<?xf64>) {
  %one = arith.constant 1.0 : f64
  affine.for %k = 0 to 4 {
    %p = affine.load %i[%k] : memref<4xi64>
    %q = arith.index_cast %p : i64 to index
    memref.store %one, %x[%q] : memref<?xf64>
  }
  return
}
"""


GATHER = """
func.func @gather(%i: memref<EXTENTxi16>, %x: memref<EXTENTxf64>, %y: memref<4xf64>) {
  affine.for %k = 0 to 4 {
    %p = affine.load %i[%k] : memref<EXTENTxi16>
    %q = arith.index_cast %p : i16 to index
    %v = memref.load %x[%q] : memref<EXTENTxf64>
    affine.store %v, %y[%k] : memref<4xf64>
  }
  return
}
"""
SQUARED = "%r = arith.muli %p, %p : i16\n%q = arith.index_cast %r"


@pytest.mark.parametrize("extent", ["?", "4"])
def test_positions_that_are_data_are_looked_at_by_each_call(extent, tmp_path, monkeypatch):
    monkeypatch.setenv("RAISE_CACHE", str(tmp_path))
    x, y = np.array([1.0, 2, 3, 4]), np.zeros(4)
    for _ in range(2):  # the second time the signature comes from the cache
        gather = raising.compile(GATHER.replace("EXTENT", extent))
        for places in ([3, 0, 0, 1], [1, 1, 2, 3]):
            gather(np.array(places, np.int16), x, y)
            assert y.tolist() == x[places].tolist()
            for wrong in (-1, 4):
                told = f"gather: arg0 has position {wrong} along dimension 0 of arg1, which has 4 there"
                with pytest.raises(CallError, match=told):
                    gather(np.array([0, wrong, 0, 1], np.int16), x, y)


def test_positions_that_are_computed_are_called_only_if_that_is_wanted():
    text = GATHER.replace("EXTENT", "?").replace("%q = arith.index_cast %p", SQUARED)
    places, x, y = np.array([0, 1, 1, 0], np.int16), np.array([1.0, 2, 3, 4]), np.zeros(4)
    with pytest.raises(CallError, match="is not known"):
        raising.compile(text)(places, x, y)
    raising.compile(text, unchecked=True)(places, x, y)
    assert y.tolist() == [1, 2, 2, 1]


def test_what_is_not_known_to_stay_inside_is_called_only_if_that_is_wanted():
    places, x = np.array([0, 2, 2, 4]), np.zeros(5)
    with pytest.raises(CallError, match=r"scatter: what it accesses .* is not known .* compile it with unchecked=True"):
        raising.compile(SCATTER)(places, x)
    raising.compile(SCATTER, unchecked=True)(places, x)
    assert x.tolist() == [1, 0, 1, 0, 1]
    with pytest.raises(CallError, match="is not known"):
        raising.compile(SCATTER)(places, x)


DEPENDS_ON_DATA = """
func.func @branch(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %z : f64
    scf.if %c {
      affine.store %x, %b[%i] : memref<?xf64>
    }
  }
  return
}
func.func @until(%n: index, %a: memref<?xf64>, %b: memref<?xf64>) {
  %z = arith.constant 0.0 : f64
  %r = scf.while (%s = %z) : (f64) -> f64 {
    %x = affine.load %a[symbol(%n)] : memref<?xf64>
    %c = arith.cmpf ogt, %x, %s : f64
    scf.condition(%c) %x : f64
  } do {
  ^bb0(%s: f64):
    affine.for %k = 0 to %n {
      affine.store %s, %b[%k + 1] : memref<?xf64>
    }
    scf.yield %s : f64
  }
  return
}
func.func @times(%m: memref<1xi32>, %n: index, %a: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %p = memref.load %m[%c0] : memref<1xi32>
  %q = arith.index_cast %p : i32 to index
  scf.for %i = %c0 to %q step %c1 {
    affine.for %k = 0 to %n {
      affine.store %z, %a[%k] : memref<?xf64>
    }
  }
  return
}
"""


def test_what_depends_on_data_counts_as_executed() -> None:
    compiled = raising.compile(DEPENDS_ON_DATA)
    a, b = np.array([1.0, -1.0, 2.0]), np.zeros(3)
    compiled["branch"](3, a, b)
    assert b.tolist() == [1, 0, 2]
    with pytest.raises(CallError, match=r"branch writes arg2\[2\]"):
        compiled["branch"](3, a, b[:2])
    compiled["until"](2, a, b)
    assert b.tolist() == [1, 2, 2]
    with pytest.raises(CallError, match=r"until reads arg1\[3\]"):
        compiled["until"](3, a, np.zeros(4))
    with pytest.raises(CallError, match=r"until writes arg2\[3\]"):
        compiled["until"](3, np.ones(4), b)
    compiled["times"](np.array([1], np.int32), 2, b)
    assert b.tolist() == [0, 0, 2]
    with pytest.raises(CallError, match=r"times writes arg2\[3\]"):
        compiled["times"](np.array([0], np.int32), 4, b)


MAXIMA = """func.func @f(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}"""


def test_memory_of_the_function_itself_is_not_left_either() -> None:
    compiled, ones = raising.compile(MAXIMA), np.ones((2, 4), np.float32)
    out = np.empty_like(ones)
    compiled(ones, ones, out=[out])
    assert np.allclose(out, 0.25)
    for shape in ((2, 5), (3, 4), (1, 4), (2, 3)):
        with pytest.raises(CallError, match="do not fit together|elements"):
            compiled(ones, np.ones(shape, np.float32), out=[np.empty(shape, np.float32)])


RECORD = """struct V { int n; double *p; float w; };
void f(struct V *v, struct V u) { for (int i = 0; i < v->n; i++) v->p[i] = u.p[i] * v->w; }"""


def test_what_c_passes_in_structs_are_arguments_of_a_call_from_python() -> None:
    out = np.zeros(4)
    compiled = raising.compile(convert(RECORD, "k.c").mlir)
    compiled(4, out, 2.0, np.arange(4.0), 9.0)
    assert out.tolist() == [0, 2, 4, 6]
