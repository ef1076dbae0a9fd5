"""C functions of sizes that are not known when compiling, raised and compiled, against NumPy.

Extents that are the same by the function's own parameters are known to be equal, so triangles and symmetric results
are what they are with known sizes.
"""

import re
from functools import partial

import numpy as np
import pytest
from mlir import ir

import raising
from raising.frontend.c import COptions, convert
from raising.native.base.compile_options import CompileOptions
from raising.native.blas.library import find_blas
from raising.native.bufferize.bufferize import bufferize
from raising.native.bufferize.destination_passing import to_destinations
from raising.native.bufferize.shapes import name_extents
from raising.native.call.compiled import load
from raising.native.compile import build
from raising.native.contraction.recognise_contraction import match
from raising.native.input.read_module import new_context, read
from raising.native.nest.dataflow import Flow
from raising.native.nest.nest import Nest
from raising.native.nest.read_views import Reader
from raising.native.transforms.copy_elimination import local_buffers, read_items
from raising.support.mlir.walk import operations
from tests.native.running import called, isolated

SYRK = """
void f(int n, int m, const double *restrict A, double *restrict C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = 0.0;
      for (int k = 0; k < m; k++) s += A[i*m+k] * A[j*m+k];
      C[i*n+j] = s;
    }
}"""
SYR2K = """
void f(int n, int m, double C[n][n], double A[n][m], double B[n][m]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++) C[i][j] += A[j][k] * 1.5 * B[i][k] + B[j][k] * 1.5 * A[i][k];
}"""
TRMM = """
void f(int n, int m, const double *restrict L, const double *restrict B, double *restrict C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0.0;
      for (int k = 0; k <= i; k++) s += L[i*n+k] * B[k*m+j];
      C[i*m+j] = s;
    }
}"""
GRAM = """
void f(int n, int m, double A[n][m], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] = 0.0;
      for (int k = 0; k < m; k++) C[i][j] += A[i][k] * A[j][k];
      C[i][j] = C[i][j] / 4.0 + 1.0;
    }
}"""
BOTH = """
void f(int n, int m, double A[n][m], double B[n][m], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0.0;
      for (int k = 0; k < m; k++) s += 0.5 * A[i][k] * B[j][k] + 0.5 * B[i][k] * A[j][k];
      C[i][j] = s;
    }
}"""
LEADING = """
void f(int m, int n, int k, int ld, const double *restrict A, const double *restrict B, double *restrict C) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0.0;
      for (int p = 0; p < k; p++) s += A[i*ld+p] * B[p*ld+j];
      C[i*ld+j] = 2.0 * s;
    }
}"""


def _raised(source):
    loops = convert(source, "f.c", COptions(function="f"))
    result = raising.raise_module(loops.mlir, check="field")
    assert result.complete, result.remarks
    return result.text


@pytest.fixture(scope="module")
def raised():
    sources = {"both": BOTH, "syrk": SYRK, "syr2k": SYR2K, "trmm": TRMM, "gram": GRAM, "leading": LEADING}
    return {name: _raised(source) for name, source in sources.items()}


def _syrk(a, c):
    return a, np.where(np.tril(np.ones_like(c)) > 0, a @ a.T, c)


def _syr2k(c, a, b):
    return np.where(np.tril(np.ones_like(c)) > 0, c + 1.5 * (a @ b.T + b @ a.T), c), a, b


WANTED = {
    "syrk": (_syrk, "nm nn"),
    "syr2k": (_syr2k, "nn nm nm"),
    "trmm": (lambda x, b, c: (x, b, np.tril(x) @ b), "nn nm nm"),
    "gram": (lambda a, c: (a, a @ a.T / 4 + 1), "nm nn"),
    "both": (lambda a, b, c: (a, b, (a @ b.T + b @ a.T) / 2), "nm nm nn"),
}


def _arrays(shapes, n, m):
    random = np.random.default_rng(n + m)
    sizes = {"n": n, "m": m}
    return [random.random([sizes[letter] for letter in shape]) for shape in shapes.split()]


def _errors(text, name, settings):
    """The largest error over several sizes, the results at the largest of them, and the code in MLIR."""
    options = CompileOptions(**settings)
    built = build(text.encode(), "-", options, workspace=True)
    call = load(built.code.object, built.signatures, built.target, built.libraries)["f"]
    wanted, shapes = WANTED[name]
    worst, results = 0.0, []
    for n, m in ((0, 3), (3, 0), (1, 1), (9, 17), (50, 7), (131, 300)):
        arrays = _arrays(shapes, n, m)
        expected = wanted(*(each.copy() for each in arrays))
        call(n, m, *arrays)
        pairs = zip(arrays, expected, strict=True)
        worst = max([worst, *(float(np.max(np.abs(x - y), initial=0.0)) for x, y in pairs)])
        results = arrays
    return worst, results, built.mlir


@pytest.mark.parametrize("name", ["trmm", "gram", "both"])
def test_results_are_right_for_all_sizes_and_the_same_for_all_numbers_of_threads(raised, name):
    found = [isolated(partial(_errors, raised[name], name, {"threads": threads})) for threads in (1, 3)]
    assert max(worst for worst, *_ in found) < 1e-11
    for _, results, _ in found[1:]:
        assert all((one == other).all() for one, other in zip(found[0][1], results, strict=True))


@pytest.mark.parametrize("name", ["gram"])
def test_strict_arithmetic_is_right(raised, name):
    assert isolated(partial(_errors, raised[name], name, {"fp": "strict"}))[0] < 1e-11


CALL = re.compile(r"call @(?:scipy_)?(cblas_\w+)\(")


@pytest.mark.parametrize(("name", "routine"), [("syrk", "syrk"), ("syr2k", "syr2k"), ("trmm", "trmm")])
def test_blas_is_asked_for_the_triangle(raised, name, routine):
    find_blas(None)
    worst, _, text = isolated(partial(_errors, raised[name], name, {"backend": "blas"}))
    assert CALL.findall(text) == [f"cblas_d{routine}"]
    assert worst < 1e-11


def _gemm(text):
    """The contraction of a function, as it will be computed."""
    context = new_context()
    with context, ir.Location.unknown():
        module = read(text.encode(), "-", context)
        to_destinations(module)
        module = bufferize(module)
        (function,) = module.body.operations
        reader = Reader(extents=name_extents(function.operation))
        guarded = operations(module, lambda op: op.name == "scf.if")  # a form that stands at some sizes only
        blocks = [function.regions[0].blocks[0], *(op.regions[0].blocks[0] for op in guarded)]
        found = [each for block in blocks for each in _contractions(block, reader)]
        return next(each.gemm for each in found if each is not None)


def _contractions(block, reader):
    items = [item.what for item in read_items(block, reader)]
    flow = Flow(items, local_buffers(block, reader))
    return [match(flow, at) for at, item in enumerate(items) if isinstance(item, Nest)]


def test_only_the_triangle_is_computed(raised):
    for name in ("syrk", "syr2k"):
        assert len(_gemm(raised[name]).region) == 1, name
    assert len(_gemm(raised["trmm"]).a_band) == 1
    gram = _gemm(raised["gram"])
    assert gram.mirrored and gram.epilogue is not None
    assert _gemm(raised["both"]).mirrored


def test_a_result_within_longer_rows_is_written_in_place_and_nothing_beyond(raised):
    random = np.random.default_rng(0)
    a, b, c = random.random((20, 40)), random.random((30, 40)), random.random((20, 40))
    wanted = c.copy()
    wanted[:, :25] = 2 * a[:, :30] @ b[:, :25]
    found = called(raised["leading"], [20, 25, 30, 40, a, b, c])
    np.testing.assert_allclose(found[-1], wanted, rtol=1e-13)
    gemm = _gemm(raised["leading"])
    assert gemm.init is None and gemm.epilogue is not None


def test_negative_sizes_are_no_iterations(raised):
    a = np.ones((2, 2))
    for m, n, k in ((-1, 2, 2), (2, -3, 2)):
        found = called(raised["leading"], [m, n, k, 2, a, a, 3 * a])
        assert (found[-1] == 3).all()
    assert (called(raised["leading"], [2, 2, -1, 2, a, a, 3 * a])[-1] == 0).all()


SLICED = """
func.func @f(%a: memref<40x50xf32>, %b: memref<50x80xf32>, %c: memref<60x80xf32>) {
  %A = bufferization.to_tensor %a restrict : memref<40x50xf32> to tensor<40x50xf32>
  %B = bufferization.to_tensor %b restrict : memref<50x80xf32> to tensor<50x80xf32>
  %C = bufferization.to_tensor %c restrict writable : memref<60x80xf32> to tensor<60x80xf32>
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x80xf32>
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<40x80xf32>) -> tensor<40x80xf32>
  %p = linalg.matmul ins(%A, %B : tensor<40x50xf32>, tensor<50x80xf32>) outs(%z : tensor<40x80xf32>)
    -> tensor<40x80xf32>
  %s = tensor.extract_slice %p[0, 0] [17, 80] [1, 1] : tensor<40x80xf32> to tensor<17x80xf32>
  %o = tensor.empty() : tensor<17x80xf32>
  %x = linalg.negf ins(%s : tensor<17x80xf32>) outs(%o : tensor<17x80xf32>) -> tensor<17x80xf32>
  %r = tensor.insert_slice %x into %C[0, 0] [17, 80] [1, 1] : tensor<17x80xf32> into tensor<60x80xf32>
  bufferization.materialize_in_destination %r in restrict writable %c : (tensor<60x80xf32>, memref<60x80xf32>) -> ()
  return
}"""


def test_of_a_product_of_which_a_part_is_used_no_more_is_written():
    random = np.random.default_rng(0)
    a, b, c = (random.random(shape).astype(np.float32) for shape in ((40, 50), (50, 80), (60, 80)))
    found = called(SLICED, [a, b, c])[-1]
    np.testing.assert_allclose(found[:17], -(a @ b)[:17], rtol=1e-5)
    assert (found[17:] == c[17:]).all()


CHOSEN = """
func.func @f(%n: i32, %x: f64, %a: memref<5xf64>) {
  %end = arith.index_cast %n : i32 to index
  %zero = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<f64>
  %given = tensor.from_elements %x : tensor<f64>
  affine.for %i = 0 to %end step 3 {
    %first = arith.cmpi eq, %i, %zero : index
    %t = arith.select %first, %given, %one : tensor<f64>
    %v = tensor.extract %t[] : tensor<f64>
    affine.store %v, %a[%i] : memref<5xf64>
  }
  return
}"""


def test_whole_tensors_are_chosen_in_loops_of_open_bounds():
    for n in (-1, 0, 1, 5):
        wanted = np.zeros(5)
        wanted[: max(n, 0) : 3] = [7.0, 1.0][: len(wanted[: max(n, 0) : 3])]
        assert np.array_equal(called(CHOSEN, [n, 7.0, np.zeros(5)])[2], wanted)


SEVERAL = """
void f(int n, const float *restrict A, const float *restrict B, float *restrict C, float *restrict D) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0.0f;
      for (int k = 0; k < n; k++) s += A[i*n+k] * B[k*n+j];
      C[i*n+j] = s;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0.0f;
      for (int k = 0; k < n; k++) s += C[i*n+k] * B[k*n+j];
      D[i*n+j] = s;
    }
}"""


@pytest.mark.parametrize("threads", [1, 3])
def test_products_pack_into_the_same_memory_one_after_the_other(threads):
    text = _raised(SEVERAL)
    mlir = build(text.encode(), "-", CompileOptions(threads=threads), workspace=True).mlir
    (body,) = re.findall(r"@f\.body\((.*?)\) attributes", mlir)
    packed = re.findall(r"memref<(\d+x\d+x\d+xf32)>", body)
    assert packed and len(packed) == len(set(packed))
    for n in (0, 1, 2, 47, 48, 49, 130):
        random = np.random.default_rng(n)
        a, b = (random.random((n, n)).astype(np.float32) for _ in range(2))
        *_, c, d = called(text, (n, a, b, np.zeros_like(a), np.zeros_like(a)), threads=threads)
        np.testing.assert_allclose(c, a @ b, rtol=1e-4)
        np.testing.assert_allclose(d, a @ b @ b, rtol=1e-4)
